// Names, types and constants.
//
// Semantic analysis of a parsed program. It goes on after errors: an
// expression in error has the type Error, which fits everywhere, so that one
// mistake is reported once.
//
// Order: names of all declarations; constants, types, protocols, globals and
// signatures; wiring; bodies; then, in FlowCheck.h, what happens along the
// paths through each body.

#ifndef KARAKAL_BAKER_LANG_SEMA_SEMA_H
#define KARAKAL_BAKER_LANG_SEMA_SEMA_H

#include "baker-lang/syntax/Declarations.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include <map>
#include <set>

namespace karakal::lang {

class Sema {
public:
  Sema(Program &program, Diagnostics &diagnostics,
       const std::set<std::string> &suspects,
       const std::map<std::string, uint64_t> &given)
      : program(program), types(program.types), diagnostics(diagnostics),
        suspects(suspects), given(given) {}

  /// Analyzes the whole program.
  void run();

private:
  // Declarations (SemaDeclarations.cpp).
  void declareBuiltins();
  void declareNames();
  void declareList(DeclList &list, ModuleDecl *module);
  void declare(Scope &scope, Decl *decl);
  void declareSymbol(Decl *decl);
  void resolveList(DeclList &list, ModuleDecl *module);
  void resolveConst(ConstDecl &decl);
  void checkStaticAssert(Expr &condition);
  void resolveStruct(StructDecl &decl);
  void resolveProtocol(ProtocolDecl &decl);
  void resolveProtocolField(ProtocolFieldDecl &field, uint64_t &offsetBits,
                            bool isLast);
  void resolveDemux(ProtocolDecl &decl, uint64_t fixedBits);
  void resolveMetadata(MetadataDecl &decl);
  void refuseWide(const Type *&type, SourceRange where, const char *what);
  void resolveGlobal(GlobalDecl &decl);
  bool flatten(const Initializer &initializer, const Type *type,
               std::vector<uint64_t> &values);
  void resolveSignature(FunctionDecl &decl);
  void checkRole(const FunctionDecl &decl);

  // Annotations (SemaAnnotations.cpp).
  void resolveAnnotations(GlobalDecl &decl);
  void resolveAnnotations(FunctionDecl &decl);
  void resolveBound(LoopBound &bound);
  uint64_t toleratedOneIn(Expr *argument, Scope &from, SourceRange where);

  // Types (SemaTypes.cpp).
  const Type *resolveType(const TypeSyntax &syntax, Scope &scope);
  const Type *namedType(const TypeSyntax &syntax, Scope &scope);
  const Type *typeOfDecl(Decl *decl);
  const Type *memberType(const TypeSyntax &syntax,
                         const std::string &moduleName, const std::string &name,
                         Scope &scope);
  const Type *withDimensions(const Type *element,
                             const std::vector<ExprPtr> &dimensions,
                             Scope &scope, SourceRange name);
  std::optional<uint64_t> constantOf(Expr &expr, Scope &scope,
                                     const char *what);
  ProtocolDecl *findProtocol(const std::string &name) const;

  // PPFs and wiring (SemaWiring.cpp).
  void resolvePpf(PpfDecl &decl, ModuleDecl &module);
  void resolveBody(FunctionDecl &decl, ModuleDecl *module);
  EndpointDecl *bodyInput(FunctionDecl &decl, PpfDecl &ppf);
  PpfDecl *findPpf(const std::vector<Identifier> &path, size_t used,
                   ModuleDecl *module, DiagId id);
  void wire(Wire &wire, ModuleDecl &module);
  void connect(Wire &wire, ModuleDecl &module);
  void connectReceiver(Wire &wire, EndpointDecl &to, ModuleDecl &module);
  EndpointDecl *findEndpoint(const std::vector<Identifier> &path,
                             ModuleDecl &module, bool wantsInput);
  void checkWiring();
  void checkReceiver();
  void checkRecursion();
  void checkSections();

  // Statements (SemaStatements.cpp).
  void checkBody(FunctionDecl &decl);
  void checkBlock(BlockStmt &block);
  void checkStmt(Stmt &stmt);
  void checkDeclaration(DeclarationStmt &stmt);
  void checkLocal(Declarator &declarator, const TypeSyntax &syntax);
  void checkLocalValue(Initializer &initializer, const Type *type);
  bool checkShape(const Initializer &initializer, const Type *type);
  void checkCritical(CriticalStmt &stmt);
  void checkLoop(Stmt &stmt);
  void checkSwitch(SwitchStmt &stmt);
  void checkReturn(ReturnStmt &stmt);
  void checkEffect(Expr &expr);
  VarDecl *newVariable(Identifier name, const Type *type);

  // Expressions (SemaExpressions.cpp). `expected` is the type that a new
  // packet header should have, if the place tells.
  const Type *check(Expr &expr, const Type *expected = nullptr);
  const Type *checkKind(Expr &expr, const Type *expected);
  const Type *checkName(NameExpr &expr);
  const Type *checkIndex(IndexExpr &expr);
  const Type *checkUnary(UnaryExpr &expr);
  const Type *checkAddress(UnaryExpr &expr);
  const Type *checkDereference(UnaryExpr &expr);
  const Type *checkStep(StepExpr &expr);
  const Type *checkCast(CastExpr &expr);
  const Type *checkBinary(BinaryExpr &expr);
  const Type *checkConditional(ConditionalExpr &expr);
  const Type *checkAssign(AssignExpr &expr);
  const Type *typeOfVariable(const std::string &name) const;
  const Type *checkSizeof(SizeofExpr &expr);
  /// Checks that `expr` is a scalar value; reports otherwise.
  bool checkScalar(Expr &expr);
  void checkCondition(Expr &expr);
  /// Checks `expr` and that its value converts to `type` by itself.
  void checkConvertible(Expr &expr, const Type *type, const char *what);
  bool checkAssignable(Expr &expr);
  bool checkWidth(BinaryOp op, const Type *type, SourceRange where);

  // Fields and calls (SemaFields.cpp, SemaCalls.cpp).
  const Type *checkField(FieldExpr &expr);
  const Type *structField(FieldExpr &expr, const Type *record);
  /// Reports a use of a private name from where it cannot be seen.
  void checkVisible(const Decl &decl, const Scope &home, SourceRange use);
  void checkOwners(const std::string &name, SourceRange use);
  bool sees(const Scope &home, SourceRange declared, SourceRange use) const;
  const Type *packetField(FieldExpr &expr, const Type *packet);
  const Type *metadataField(FieldExpr &expr, const std::string &name);
  const Type *moduleMember(FieldExpr &expr);
  const Type *valueOf(Decl *decl, Expr &expr);
  const Type *checkCall(CallExpr &expr, const Type *expected);
  const Type *checkFunctionCall(CallExpr &expr);
  const Type *checkPrimitive(CallExpr &expr, const Type *expected);
  const Type *newHeader(CallExpr &expr, const Type *expected);
  const Type *checkResize(CallExpr &expr);
  void checkBytes(Expr &bytes, uint64_t most, const char *what);
  const Type *checkDrop(CallExpr &expr);
  const Type *checkDropCount(CallExpr &expr);
  DropReasonDecl *checkReason(Expr &reason);
  const Type *checkChannelPut(CallExpr &expr);
  const Type *checkService(CallExpr &expr);
  const Type *checkAtomicAdd(CallExpr &expr);
  const Type *checkTrace(CallExpr &expr);
  bool checkArgumentCount(CallExpr &expr, size_t least, size_t most,
                          const std::string &name);
  bool checkPacket(Expr &expr);

  // Small parts.
  Diagnostic &error(DiagId id, SourceRange where, std::string message) {
    if (function)
      function->hasErrors = true;
    return report(diagnostics, id, where, std::move(message));
  }
  Decl *lookup(const std::string &name) const { return lookup(name, *scope); }
  static Decl *lookup(const std::string &name, const Scope &scope);
  void undeclared(const std::string &name, SourceRange where,
                  const Scope &scope);
  /// Adds "did you mean" with the place of the declaration meant.
  void suggest(Diagnostic &diagnostic, const std::string &name,
               const std::vector<const Decl *> &candidates);
  /// Counts what makes the function branch, and reports one too large.
  void countBranch(SourceRange where);
  bool isSuspect(const std::string &name) const {
    return suspects.count(name) != 0;
  }

  Program &program;
  TypeTable &types;
  Diagnostics &diagnostics;
  const std::set<std::string> &suspects;
  const std::map<std::string, uint64_t> &given; ///< see Frontend.h
  std::map<std::string, const Decl *> symbols;

  // Where analysis stands.
  Scope *scope = nullptr;
  FunctionDecl *function = nullptr;
  unsigned loopDepth = 0, switchDepth = 0;
  /// The critical section around this place, or null.
  const CriticalStmt *section = nullptr;
  bool hasBadWires = false;
  std::map<uint8_t, SourceRange> wiredPorts; ///< of `rx`
};

/// The primitive called `name`, or None.
Primitive primitiveOf(const std::string &name);

/// The global variable of which `expr` is a part, or null.
const GlobalDecl *globalOf(const Expr &expr);
/// Whether `expr` is, or is a part of, what a pointer leads to.
bool isBehindPointer(const Expr &expr);

/// Scalars in a value of `type`, and 32-bit words that it takes in memory
/// (the rule of ir/dialect/Layout.h).
uint64_t scalarCountOf(const Type *type);
uint64_t wordCountOf(const Type *type);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_SEMA_H
