// What a program declares.
//
// The declarations of the syntax tree, the scopes that hold their names, and
// the whole program. As in Ast.h, analysis fills in the fields marked so.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_DECLARATIONS_H
#define KARAKAL_BAKER_LANG_SYNTAX_DECLARATIONS_H

#include "baker-lang/syntax/Ast.h"

#include <map>

namespace karakal::lang {

struct ModuleDecl;
struct PpfDecl;

enum class DeclKind {
  Const,
  Protocol,
  ProtocolField,
  Struct,
  Enum,
  Metadata,
  DropReason,
  Global,
  Function,
  Variable,
  Ppf,
  Endpoint,
  Module,
};

/// "constant", "PPF", …
const char *noun(DeclKind kind);

struct Decl {
  Decl(DeclKind kind, Identifier id)
      : kind(kind), name(std::move(id.name)), range(id.range) {}
  virtual ~Decl() = default;

  const DeclKind kind;
  std::string name;
  SourceRange range;      ///< of the name
  bool isPrivate = false; ///< not seen outside its module
};

template <DeclKind Kind> struct DeclOf : Decl {
  explicit DeclOf(Identifier id) : Decl(Kind, std::move(id)) {}
  static bool classof(const Decl *decl) { return decl->kind == Kind; }
};

/// Names of one region of the text. Order of iteration is that of the names,
/// so that results do not depend on addresses.
struct Scope {
  Scope *parent = nullptr;
  std::map<std::string, Decl *> names;

  Decl *find(const std::string &name) const {
    auto entry = names.find(name);
    return entry == names.end() ? nullptr : entry->second;
  }
};

/// How far a declaration that others may need has been looked at.
enum class Progress { Fresh, Busy, Done };

/// `const` at any level, and the names of an `enum`.
struct ConstDecl : DeclOf<DeclKind::Const> {
  using DeclOf::DeclOf;
  std::optional<TypeSyntax> typeSyntax; ///< none: enumerator
  ExprPtr value;                        ///< null: previous enumerator + 1
  /// A module's parameter: its value belongs to the scope of the instance.
  bool isParameter = false;
  ConstDecl *previous = nullptr; ///< enumerator before this one
  std::optional<uint64_t> given; ///< in the place of `value`

  // Found by analysis.
  Scope *scope = nullptr;
  Progress progress = Progress::Fresh;
  const Type *type = nullptr;
  uint64_t bits = 0;
};

struct ProtocolFieldDecl : DeclOf<DeclKind::ProtocolField> {
  using DeclOf::DeclOf;
  ExprPtr widthSyntax, countSyntax; ///< count: null if no array

  // Found by analysis.
  ProtocolDecl *protocol = nullptr;
  const Type *type = nullptr; ///< of one element
  uint32_t offsetBits = 0;
  uint32_t count = 1;
  bool isArray = false;
};

struct ProtocolDecl : DeclOf<DeclKind::Protocol> {
  using DeclOf::DeclOf;
  std::vector<std::unique_ptr<ProtocolFieldDecl>> fields;
  ExprPtr demux;
  SourceRange demuxRange;
  std::vector<SourceRange> extraDemux; ///< second and later ones, an error

  // Found by analysis.
  Scope scope; ///< the fields, for the demux expression
  Progress progress = Progress::Fresh;
  uint32_t bytesMin = 0;
  bool isConstantSize = false;
  bool hasTooLongField = false; ///< which was reported
};

struct StructField {
  TypeSyntax typeSyntax;
  Identifier name;
  bool isPrivate = false; ///< not seen outside the struct's module
  std::vector<ExprPtr> dimensions;
  const Type *type = nullptr; ///< found by analysis
};

struct StructDecl : DeclOf<DeclKind::Struct> {
  using DeclOf::DeclOf;
  std::vector<StructField> fields;

  // Found by analysis.
  Scope *scope = nullptr;
  Progress progress = Progress::Fresh;
};

/// The name of an `enum`, a type whose values are those of `int`.
struct EnumDecl : DeclOf<DeclKind::Enum> {
  using DeclOf::DeclOf;
};

struct MetadataDecl : DeclOf<DeclKind::Metadata> {
  using DeclOf::DeclOf;
  TypeSyntax typeSyntax;
  const Type *type = nullptr; ///< found by analysis
  /// The declaration of the same field that came before, in another module.
  const MetadataDecl *first = nullptr;
  bool isReadOnly = false; ///< set by the receiver
  bool isBuiltin = false;
  /// Found by analysis: something reads or writes it.
  bool isUsed = false;
};

struct DropReasonDecl : DeclOf<DeclKind::DropReason> {
  using DeclOf::DeclOf;
};

/// `@name` or `@name(argument)` in front of a declaration.
struct Annotation {
  Identifier name;
  ExprPtr argument; ///< null if there is none
};

struct GlobalDecl : DeclOf<DeclKind::Global> {
  using DeclOf::DeclOf;
  TypeSyntax typeSyntax;
  Declarator declarator;
  bool isConst = false; ///< `const` with braces: data that is never written
  /// Of all variables of one declaration: shared.
  std::shared_ptr<std::vector<Annotation>> annotations;

  // Found by analysis.
  std::string symbol;
  Scope *scope = nullptr;
  const Type *type = nullptr;
  std::vector<uint64_t> initial; ///< all scalars in order, or empty: zeros
  std::string placeIn;           ///< memory that @place names, or empty
  /// One stale packet in so many is tolerated (@tolerate); 0: not said.
  uint64_t toleratedOneIn = 0;
};

/// A local variable or a parameter.
struct VarDecl : DeclOf<DeclKind::Variable> {
  using DeclOf::DeclOf;
  const Type *type = nullptr;
  bool isParameter = false;
  /// A handle that a function may use but not give away.
  bool isBorrowed = false;
};

struct Parameter {
  TypeSyntax typeSyntax;
  Identifier name;
  bool hasDimensions = false;
  VarDecl *decl = nullptr; ///< found by analysis
};

enum class Role { Function, Control, Init, Ppf };

/// A function or the body of a PPF for one of its inputs.
struct FunctionDecl : DeclOf<DeclKind::Function> {
  using DeclOf::DeclOf;
  Role role = Role::Function;
  TypeSyntax resultSyntax;
  std::vector<Annotation> annotations;
  std::vector<Parameter> parameters;
  std::unique_ptr<BlockStmt> body;
  /// PPF bodies: the name as written, `module.ppf.endpoint`.
  std::vector<Identifier> path;

  // Found by analysis.
  std::string symbol;
  Scope *scope = nullptr;
  ModuleDecl *module = nullptr;
  PpfDecl *ppf = nullptr;
  EndpointDecl *input = nullptr;
  const Type *result = nullptr;
  bool isInline = false;    ///< @inline
  bool hasSection = false;  ///< has a critical section of its own
  bool hasErrors = false;   ///< follow-on errors are kept back then
  unsigned branchCount = 0; ///< statements, and operators that branch
  std::vector<std::unique_ptr<VarDecl>> variables;
  struct CallSite {
    FunctionDecl *callee;
    SourceRange range;
    bool isInSection = false; ///< inside of a critical section
  };
  std::vector<CallSite> calls;
};

struct EndpointDecl : DeclOf<DeclKind::Endpoint> {
  using DeclOf::DeclOf;
  bool isInput = false;
  TypeSyntax typeSyntax;

  // Found by analysis.
  PpfDecl *ppf = nullptr;
  const Type *type = nullptr;
  FunctionDecl *body = nullptr; ///< of an input
  /// Where the packets of an output go.
  struct Destination {
    EndpointDecl *input; ///< null: tx
    SourceRange wire;
  };
  std::vector<Destination> destinations;
  unsigned feederCount = 0; ///< outputs, and `rx`, wired to this input
  std::string symbol() const;
  /// The channel to one of the destinations.
  std::string channel(size_t destination) const {
    return destination == 0 ? symbol()
                            : symbol() + "." + std::to_string(destination + 1);
  }
};

struct PpfDecl : DeclOf<DeclKind::Ppf> {
  using DeclOf::DeclOf;
  std::vector<Annotation> annotations;
  std::vector<std::unique_ptr<EndpointDecl>> endpoints;

  // Found by analysis.
  ModuleDecl *module = nullptr;
  bool isCold = false;
  bool hasUnclearBody = false; ///< a body did not say for which input it is
  Scope scope;                 ///< the endpoints
  std::string symbol() const;
};

/// One line of `wiring`.
struct Wire {
  SourceRange range;
  std::vector<Identifier> from, to;
  std::vector<ExprPtr> ports;   ///< `rx[0, 1] -> …`
  std::vector<ExprPtr> portsTo; ///< none, or this is an error
};

/// Why packets of ports that no receiver takes are dropped.
inline constexpr const char *noReceiverName = "no_receiver";

/// An input that received packets go to.
struct Receiver {
  EndpointDecl *input;
  SourceRange wire;
  /// Of the ports they came in at; empty: all that no other receiver takes.
  std::vector<uint8_t> ports;
};

struct StaticAssert {
  SourceRange range;
  ExprPtr condition;
};

/// What can stand in a module or in a file.
struct DeclList {
  std::vector<StaticAssert> asserts;
  std::vector<std::unique_ptr<ConstDecl>> constants;
  std::vector<std::unique_ptr<ProtocolDecl>> protocols;
  std::vector<std::unique_ptr<StructDecl>> structs;
  std::vector<std::unique_ptr<EnumDecl>> enums;
  std::vector<std::unique_ptr<MetadataDecl>> metadata;
  std::vector<std::unique_ptr<DropReasonDecl>> dropReasons;
  std::vector<std::unique_ptr<GlobalDecl>> globals;
  std::vector<std::unique_ptr<FunctionDecl>> functions;
  std::vector<std::unique_ptr<FunctionDecl>> bodies; ///< of PPFs
  std::vector<std::unique_ptr<PpfDecl>> ppfs;
  std::vector<Wire> wires;
};

struct ModuleDecl : DeclOf<DeclKind::Module> {
  using DeclOf::DeclOf;
  DeclList members;
  Scope scope; ///< found by analysis
};

/// A whole program: all files together.
struct Program {
  TypeTable types;
  DeclList decls;
  std::vector<std::unique_ptr<ModuleDecl>> modules;
  /// Names of modules with parameters; their instances are among `modules`.
  std::vector<Identifier> patterns;

  // Found by analysis.
  Scope scope;
  std::vector<std::unique_ptr<MetadataDecl>> builtinMetadata;
  std::vector<std::unique_ptr<DropReasonDecl>> builtinReasons;
  std::map<std::string, MetadataDecl *> metadata;
  std::map<std::string, DropReasonDecl *> dropReasons;
  std::vector<Receiver> receivers; ///< where received packets go
  /// The input that all received packets go to, if there is one.
  EndpointDecl *receiver() const {
    bool isOne = receivers.size() == 1 && receivers[0].ports.empty();
    return isOne ? receivers[0].input : nullptr;
  }

  /// Calls `visit(list, module)` for the file level, then for each module.
  template <typename Visit> void forEachList(Visit visit) {
    visit(decls, static_cast<ModuleDecl *>(nullptr));
    for (auto &module : modules)
      visit(module->members, module.get());
  }
  template <typename Visit> void forEachList(Visit visit) const {
    visit(decls, static_cast<const ModuleDecl *>(nullptr));
    for (const auto &module : modules)
      visit(module->members, static_cast<const ModuleDecl *>(module.get()));
  }
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_DECLARATIONS_H
