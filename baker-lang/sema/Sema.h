// Semantic analysis: names, types and constants.
//
// Analysis goes on after an error. An erroneous expression gets the type Error,
// which converts to every type, so that one mistake is reported once.
//
// The order is: the names of all declarations; then constants, types,
// protocols, globals and signatures; then wiring; then bodies.

#ifndef KARAKAL_BAKER_LANG_SEMA_SEMA_H
#define KARAKAL_BAKER_LANG_SEMA_SEMA_H

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/syntax/ImportableNames.h"
#include "baker-lang/tree/Program.h"

#include <map>

namespace karakal::lang {

class Sema {
public:
  /// `constantOverrides`: values by name (`module.NAME`) that replace the
  /// values of constants.
  /// `importable`: what the program could import.
  Sema(Program &program, Diagnostics &diagnostics,
       const std::map<std::string, uint64_t> &constantOverrides,
       ImportableNames &importable)
      : program(program), types(program.types), diagnostics(diagnostics),
        constantOverrides(constantOverrides), importable(importable) {}

  /// Analyzes the whole program.
  void run();

private:
  // Names (SemaNames.cpp).
  void declareBuiltins();
  void declareNames();
  void declareList(DeclList &list, ModuleDecl *module);
  void declareMetadata(DeclList &list);
  void declareDropReasons(DeclList &list);
  void declare(Scope &scope, Decl *decl);
  /// Checks that `decl` does not share its symbol in the baker dialect with a
  /// declaration of another kind.
  void declareSymbol(Decl *decl);
  Decl *lookup(const std::string &name) const { return lookup(name, *scope); }
  static Decl *lookup(const std::string &name, const Scope &scope);
  void reportUndeclared(const std::string &name, SourceRange where,
                        const Scope &scope);
  /// Adds "did you mean" with the location of the candidate meant. `fixRange`
  /// is the range to replace. True if a candidate is similar.
  bool suggest(Diagnostic &diagnostic, const std::string &name,
               const std::vector<const Decl *> &candidates);
  /// Adds a note with a list of names.
  static void noteNames(Diagnostic &diagnostic, const char *what,
                        const std::vector<std::string> &names);
  /// True if the line of `where` has a syntax error.
  bool isOnBrokenLine(SourceRange where) const;
  /// True if `name` may be declared in text that was not parsed or not found.
  bool isUnparsed(const std::string &name) const {
    return program.hasMissingImport || program.unparsedNames.count(name) != 0;
  }
  /// True if another error explains why there is no `name`: it is missing or
  /// unparsed, or was reported before. Otherwise the caller reports it now.
  bool isExplained(const std::string &name);
  /// The same for a name of `kind` that another file may declare. Reports the
  /// import of that file as missing, once.
  bool isExplained(const std::string &name, SourceRange where,
                   NameKind kind = NameKind::Declaration);
  /// True if code at `use` may use private names that are declared at
  /// `declared` in the scope `home`.
  bool canSeePrivate(const Scope &home, SourceRange declared,
                     SourceRange use) const;
  /// Reports a use of a private name from where it is not visible.
  void checkVisible(const Decl &decl, const Scope &home, SourceRange use);
  void checkMetadataVisible(const std::string &name, SourceRange use);

  // Declarations (SemaDeclarations.cpp).
  void resolveList(DeclList &list, ModuleDecl *module);
  void resolveConst(ConstDecl &decl);
  void resolveConstValue(ConstDecl &decl, const Type *declared);
  void checkStaticAssert(Expr &condition);
  void noteValues(const Expr &condition, Diagnostic &diagnostic) const;
  void resolveStruct(StructDecl &decl);
  void resolveStructField(StructField &field, StructDecl &decl);
  void resolveMetadata(MetadataDecl &decl);
  void resolveGlobal(GlobalDecl &decl);
  void resolveLock(GlobalDecl &decl);

  // Queues of packets (SemaQueues.cpp).
  void resolveQueue(GlobalDecl &decl);
  const Type *checkQueueCall(CallExpr &expr);

  // Tables (SemaTables.cpp) and their entries (SemaTableRows.cpp).
  void resolveTable(TableDecl &decl);
  void resolveTableRecord(TableDecl &decl);
  void resolveTableKeys(TableDecl &decl);
  void resolveTableKey(TableKeyField &key);
  void resolveTableSizes(TableDecl &decl);
  std::optional<uint64_t> tableCount(Expr *expr, TableDecl &decl,
                                     const char *what);
  void addTableOperations(TableDecl &decl);
  void resolveTableDefaults(TableDecl &decl);
  void resolveTableRow(TableRow &row, TableDecl &decl);
  void resolveRowKey(const TableKeyField &key, TableValue *value, TableRow &row,
                     TableDecl &decl);
  std::optional<uint64_t> rowNumber(Expr &expr, const Type *type,
                                    TableDecl &decl);
  TableValue *rowValue(std::vector<TableValue> &values, const std::string &name,
                       size_t position);
  void checkRowNames(const std::vector<TableValue> &values,
                     const std::vector<std::string> &known);
  void checkDuplicateRows(const TableDecl &decl);
  /// Checks that `expr` is a scalar value; a pointer to an entry of a table,
  /// which is true if the entry was found; or a handle, which is true if there
  /// was a packet in the queue that it was taken from.
  bool checkTruth(Expr &expr);
  const Type *tableMember(FieldExpr &expr, TableDecl &table);
  /// Reports a field of a table's entry that packets may not write.
  bool checkMutable(const Expr &expr);

  // Initializers (SemaInitializers.cpp).
  /// Checks that `initializer` has braces exactly where `type` has parts, and
  /// not more values than parts.
  bool checkShape(const Initializer &initializer, const Type *type);
  /// Appends the scalars of a global's initializer to `values`, wide ones in
  /// two parts, and zeros for what it leaves out.
  bool flatten(const Initializer &initializer, const Type *type,
               std::vector<uint64_t> &values);
  void checkLocalValue(Initializer &initializer, const Type *type);

  // Signatures (SemaSignatures.cpp).
  void resolveSignature(FunctionDecl &decl);
  const Type *resolveParameterType(const Parameter &parameter,
                                   const FunctionDecl &decl);
  void checkSignature(const FunctionDecl &decl);
  void checkControlSignature(const FunctionDecl &decl);

  // Annotations (SemaAnnotations.cpp).
  void resolveAnnotations(GlobalDecl &decl);
  void resolveAnnotations(FunctionDecl &decl);
  void resolveAnnotations(PpfDecl &decl);
  void resolveBound(LoopBound &bound);
  uint64_t resolveTolerance(Expr *argument, Scope &from, SourceRange where);

  // Types (SemaTypes.cpp).
  const Type *resolveType(const TypeSyntax &syntax, Scope &scope);
  const Type *resolveUnstarredType(const TypeSyntax &syntax, Scope &scope);
  const Type *sizedType(const TypeSyntax &syntax);
  const Type *namedType(const TypeSyntax &syntax, Scope &scope);
  const Type *packetType(const TypeSyntax &syntax,
                         const std::string &protocolName);
  /// The type that `decl` declares, or null.
  const Type *declaredType(Decl *decl);
  const Type *memberType(const TypeSyntax &syntax,
                         const std::string &moduleName, const std::string &name,
                         Scope &scope);
  /// Reports a scalar of over 64 bits and sets `type` to the error type. `what`
  /// names its use.
  void rejectWide(const Type *&type, SourceRange where, const char *what);
  const Type *withDimensions(const Type *element,
                             const std::vector<ExprPtr> &dimensions,
                             Scope &scope, SourceRange name);
  std::optional<uint64_t> arraySize(Expr &expr, const Type *element,
                                    Scope &scope);
  /// Checks an expression that must be constant, and returns its value. `what`
  /// names it in the error message.
  std::optional<uint64_t> constantOf(Expr &expr, Scope &scope,
                                     const char *what);
  ProtocolDecl *findProtocol(const std::string &name) const;

  // Protocols (SemaProtocols.cpp).
  void resolveProtocol(ProtocolDecl &decl);
  void resolveProtocolField(ProtocolFieldDecl &field, uint64_t &offsetBits);
  bool resolveFieldType(ProtocolFieldDecl &field);
  void resolveDemux(ProtocolDecl &decl, uint64_t fixedBits);

  // PPFs and their bodies (SemaPpfs.cpp).
  void resolvePpf(PpfDecl &decl, ModuleDecl &module);
  void resolveBody(FunctionDecl &decl, ModuleDecl *module);
  void attachBody(FunctionDecl &decl, EndpointDecl &input, PpfDecl &ppf);
  EndpointDecl *bodyInput(FunctionDecl &decl, PpfDecl &ppf);
  /// The PPF that the first `used` parts of `path` name: `ppf` inside its
  /// module, or `module.ppf`. Reports with `id` if there is none.
  PpfDecl *findPpf(const std::vector<Identifier> &path, size_t used,
                   ModuleDecl *module, DiagId id);

  // Wiring (SemaWiring.cpp).
  void resolveWire(Wire &wire, ModuleDecl &module);
  void connect(Wire &wire, ModuleDecl &module);
  void connectOutput(const Wire &wire, EndpointDecl &from, EndpointDecl *to);
  void connectReceiver(Wire &wire, EndpointDecl &to, ModuleDecl &module);
  /// Reports a constant that is no port of the chip.
  void checkPort(const Expr &port);
  bool resolveReceivePorts(Wire &wire, ModuleDecl &module,
                           std::vector<uint8_t> &ports);
  EndpointDecl *findEndpoint(const std::vector<Identifier> &path,
                             ModuleDecl &module, bool wantsInput);
  void checkWiring();
  void checkEndpoint(const EndpointDecl &endpoint, const PpfDecl &ppf,
                     const ModuleDecl &module);

  // Statements (SemaStatements.cpp).
  void checkBody(FunctionDecl &decl);
  void checkBlock(BlockStmt &block);
  void checkStmt(Stmt &stmt);
  void checkStmtInNewScope(Stmt &stmt);
  void checkIf(IfStmt &stmt);
  void checkLocal(Declarator &declarator, const TypeSyntax &syntax);
  const Type *localType(const Declarator &declarator, const TypeSyntax &syntax);
  void checkCritical(CriticalStmt &stmt);
  void checkLoop(Stmt &stmt);
  void checkSwitch(SwitchStmt &stmt);
  void checkReturn(ReturnStmt &stmt);
  /// Checks an expression whose value is not used. Warns if it has no effect.
  void checkEffect(Expr &expr);
  /// Counts a statement or an operator that branches. Reports a function that
  /// has too many.
  void countBranch(SourceRange where);

  // Expressions (SemaExpressions.cpp). `expected` is the type that the context
  // gives to a new packet header, or null.
  const Type *check(Expr &expr, const Type *expected = nullptr);
  const Type *checkKind(Expr &expr, const Type *expected);
  const Type *checkName(NameExpr &expr);
  /// The type of `decl` used as a value. Sets the constant of `expr`.
  const Type *valueOf(Decl *decl, Expr &expr);
  const Type *checkIndex(IndexExpr &expr);
  const Type *checkCast(CastExpr &expr);
  const Type *checkConditional(ConditionalExpr &expr);
  const Type *checkSizeof(SizeofExpr &expr);
  /// The type of the variable `name`, or null if there is no such variable.
  const Type *typeOfVariable(const std::string &name) const;
  /// Checks that `expr` is a scalar value.
  bool checkScalar(Expr &expr);
  void checkCondition(Expr &expr);
  /// Checks that the value of `expr` converts to `type` implicitly. `what`
  /// names it in the error message.
  void checkConvertible(Expr &expr, const Type *type, const char *what);

  // Operators and assignments (SemaOperators.cpp).
  const Type *checkUnary(UnaryExpr &expr);
  const Type *checkIncrement(IncrementExpr &expr);
  const Type *checkBinary(BinaryExpr &expr);
  void checkDivisor(BinaryOp op, const Expr &divisor);
  bool checkWidth(BinaryOp op, const Type *type, SourceRange where);
  const Type *checkAssign(AssignExpr &expr);
  bool checkAssignable(Expr &expr);

  // Pointers (SemaPointers.cpp).
  const Type *checkAddress(UnaryExpr &expr);
  const Type *checkDereference(UnaryExpr &expr);

  // Fields (SemaFields.cpp).
  const Type *checkField(FieldExpr &expr);
  const Type *structField(FieldExpr &expr, const Type *structType);
  const Type *packetField(FieldExpr &expr, const Type *packet);
  const Type *metadataField(FieldExpr &expr, const std::string &name);
  const Type *moduleMember(FieldExpr &expr);

  // Calls (SemaCalls.cpp).
  const Type *checkCall(CallExpr &expr, const Type *expected);
  const Type *checkCallByName(CallExpr &expr, NameExpr &name,
                              const Type *expected);
  const Type *checkFunctionCall(CallExpr &expr);
  bool checkArgumentCount(CallExpr &expr, size_t least, size_t most,
                          const std::string &name);
  /// Checks the arguments of a call that is erroneous itself.
  const Type *checkArgumentsOnly(CallExpr &expr);

  // Packet primitives (SemaPackets.cpp).
  const Type *checkPrimitive(CallExpr &expr, const Type *expected);
  bool checkPacket(Expr &expr);
  const Type *checkNewHeader(CallExpr &expr, const Type *expected);
  const Type *checkResize(CallExpr &expr);
  const Type *checkMove(CallExpr &expr);
  const Type *checkCopyHeader(CallExpr &expr);
  bool checkNamedHandle(Expr &handle, const std::string &name);
  /// Checks a number of bytes. If it is constant, it must be at most `most`,
  /// the size of `what`.
  void checkBytes(Expr &bytes, uint64_t most, const char *what);
  const Type *checkDrop(CallExpr &expr);
  /// The drop reason that `reason` names, or null after an error.
  DropReasonDecl *checkReason(Expr &reason);
  const Type *checkChannelPut(CallExpr &expr);
  EndpointDecl *checkOutput(Expr &channel);

  // Services of the chip (SemaServices.cpp).
  const Type *checkService(CallExpr &expr);
  const Type *checkHash(CallExpr &expr);
  const Type *checkDropCount(CallExpr &expr);
  const Type *checkAtomic(CallExpr &expr);
  const Type *checkTrace(CallExpr &expr);
  const Type *checkRefusal(CallExpr &expr);

  /// Reports an error, unless the line has a syntax error.
  Diagnostic &error(DiagId id, SourceRange where, std::string message);

  Program &program;
  TypeTable &types;
  Diagnostics &diagnostics;
  const std::map<std::string, uint64_t> &constantOverrides;
  ImportableNames &importable;
  /// Declarations that become symbols at the top level of the dialect.
  std::map<std::string, const Decl *> symbols;
  std::set<std::string> reportedNames, reportedImports;
  Diagnostic consequence;     ///< receives the notes of an error not reported
  uint64_t queuedPackets = 0; ///< that all queues can hold
  bool hasBadWires = false;
  bool hasBadBodies = false;                 ///< bodies that belong to no input
  std::map<uint8_t, SourceRange> wiredPorts; ///< of `rx`

  // The context of the statement or expression under analysis.
  Scope *scope = nullptr;
  FunctionDecl *function = nullptr;
  unsigned loopDepth = 0, switchDepth = 0;
  const CriticalStmt *section = nullptr; ///< enclosing critical section
};

/// A path of names as text: `module.ppf.endpoint`.
std::string pathText(const std::vector<Identifier> &path);
SourceRange pathRange(const std::vector<Identifier> &path);

/// The declarations of a list as candidates for a suggestion.
template <typename List>
std::vector<const Decl *> candidatesIn(const List &list) {
  std::vector<const Decl *> candidates;
  for (const auto &decl : list)
    candidates.push_back(decl.get());
  return candidates;
}

/// The same for a map from names to declarations.
template <typename T>
std::vector<const Decl *> candidatesIn(const std::map<std::string, T *> &map) {
  std::vector<const Decl *> candidates;
  for (const auto &[name, decl] : map)
    candidates.push_back(decl);
  return candidates;
}

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_SEMA_H
