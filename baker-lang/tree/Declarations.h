// The syntax tree: declarations and the scopes that hold their names.
//
// Fields under "set by analysis" are empty after parsing, as in Expressions.h.

#ifndef KARAKAL_BAKER_LANG_TREE_DECLARATIONS_H
#define KARAKAL_BAKER_LANG_TREE_DECLARATIONS_H

#include "baker-lang/tree/Statements.h"
#include "ir/dialect/Enums.h"

#include <map>
#include <optional>

namespace karakal::lang {

struct ModuleDecl;
struct PpfDecl;
struct TableDecl;

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
  Table,
};

/// The kind in words, for messages: "constant", "PPF", …
const char *noun(DeclKind kind);

struct Decl {
  Decl(DeclKind kind, Identifier id)
      : kind(kind), name(std::move(id.name)), range(id.range) {}
  virtual ~Decl() = default;

  const DeclKind kind;
  std::string name;
  SourceRange range;      ///< of the name; empty for a built-in declaration
  bool isPrivate = false; ///< visible in its module only
};

template <DeclKind Kind> struct DeclOf : Decl {
  explicit DeclOf(Identifier id) : Decl(Kind, std::move(id)) {}
  static bool classof(const Decl *decl) { return decl->kind == Kind; }
};

/// The names declared in one region of the text. The map is ordered by name,
/// so that results do not depend on addresses.
struct Scope {
  Scope *parent = nullptr;
  std::map<std::string, Decl *> names;

  Decl *find(const std::string &name) const {
    auto entry = names.find(name);
    return entry == names.end() ? nullptr : entry->second;
  }
};

/// How far analysis of a declaration has come. A declaration that depends on
/// one in progress depends on itself.
enum class Progress { NotStarted, InProgress, Done };

/// A `const` at any level, or an enumerator.
struct ConstDecl : DeclOf<DeclKind::Const> {
  using DeclOf::DeclOf;
  std::optional<TypeSyntax> typeSyntax; ///< none for an enumerator
  ExprPtr value; ///< null: the previous enumerator plus 1
  /// A parameter of a module. Its value is resolved in the instance's scope.
  bool isParameter = false;
  ConstDecl *previous = nullptr; ///< the enumerator before this one
  /// A value that the command line gives; it replaces `value`.
  std::optional<uint64_t> overrideValue;

  // Set by analysis.
  Scope *scope = nullptr;
  Progress progress = Progress::NotStarted;
  const Type *type = nullptr;
  uint64_t bits = 0;
};

struct ProtocolFieldDecl : DeclOf<DeclKind::ProtocolField> {
  using DeclOf::DeclOf;
  ExprPtr widthSyntax;
  ExprPtr countSyntax; ///< null if the field is no array

  // Set by analysis.
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
  std::vector<SourceRange> extraDemux; ///< further ones, which are errors

  // Set by analysis.
  Scope scope; ///< the fields, for the demux expression
  Progress progress = Progress::NotStarted;
  uint32_t bytesMin = 0; ///< smallest header
  bool isConstantSize = false;
  bool hasTooLongField = false; ///< it has been reported
};

struct StructField {
  TypeSyntax typeSyntax;
  Identifier name;
  bool isPrivate = false; ///< visible in the struct's module only
  bool isMutable = false; ///< of a table's value: packets may write it
  std::vector<ExprPtr> dimensions;
  const Type *type = nullptr; ///< set by analysis
};

struct StructDecl : DeclOf<DeclKind::Struct> {
  using DeclOf::DeclOf;
  std::vector<StructField> fields;
  /// The table whose entries these are, if any.
  const TableDecl *table = nullptr;

  // Set by analysis.
  Scope *scope = nullptr;
  Progress progress = Progress::NotStarted;
};

/// The name of an `enum`: a type with the values of `int`.
struct EnumDecl : DeclOf<DeclKind::Enum> {
  using DeclOf::DeclOf;
};

struct MetadataDecl : DeclOf<DeclKind::Metadata> {
  using DeclOf::DeclOf;
  TypeSyntax typeSyntax;
  bool isReadOnly = false; ///< only the receiver sets it
  bool isBuiltin = false;

  // Set by analysis.
  const Type *type = nullptr;
  /// The first declaration of the same field, in another module; null if this
  /// is the first.
  const MetadataDecl *first = nullptr;
  bool isUsed = false; ///< the program reads or writes it
};

struct DropReasonDecl : DeclOf<DeclKind::DropReason> {
  using DeclOf::DeclOf;
};

/// `@name` or `@name(argument)` before a declaration.
struct Annotation {
  Identifier name;
  ExprPtr argument; ///< null if there is none
};

struct GlobalDecl : DeclOf<DeclKind::Global> {
  using DeclOf::DeclOf;
  TypeSyntax typeSyntax;
  Declarator declarator;
  bool isConst = false; ///< a `const` array or struct, never written
  /// Shared by all variables of one declaration.
  std::shared_ptr<std::vector<Annotation>> annotations;

  // Set by analysis.
  std::string symbol;
  Scope *scope = nullptr;
  const Type *type = nullptr;
  /// All scalars in order, wide ones in two parts; empty: zeros.
  std::vector<uint64_t> initial;
  /// The memory that @place asks for.
  std::optional<ir::MemoryRequest> requestedMemory;
  /// Argument of @tolerate: one packet in this many may see a stale value.
  /// 0 if there is none.
  uint64_t toleratedOneIn = 0;
};

/// A local variable or a parameter.
struct VarDecl : DeclOf<DeclKind::Variable> {
  using DeclOf::DeclOf;
  const Type *type = nullptr;
  bool isParameter = false;
  /// A packet handle that the function may use but not release.
  bool isBorrowed = false;
};

struct Parameter {
  TypeSyntax typeSyntax;
  Identifier name;
  bool hasDimensions = false;
  VarDecl *decl = nullptr; ///< set by analysis
};

enum class Role { Function, Control, Init, Ppf };

/// A function, or the body of a PPF for one of its inputs.
struct FunctionDecl : DeclOf<DeclKind::Function> {
  using DeclOf::DeclOf;
  Role role = Role::Function;
  TypeSyntax resultSyntax;
  std::vector<Annotation> annotations;
  std::vector<Parameter> parameters;
  std::unique_ptr<BlockStmt> body;
  /// Name of a PPF body as written: `module.ppf.endpoint`.
  std::vector<Identifier> path;

  // Set by analysis.
  std::string symbol;
  Scope *scope = nullptr;
  ModuleDecl *module = nullptr;
  PpfDecl *ppf = nullptr;
  EndpointDecl *input = nullptr;
  TableDecl *table = nullptr; ///< of which this is an operation
  const Type *result = nullptr;
  bool isInline = false;           ///< @inline
  bool isExclusive = false;        ///< @exclusive
  bool hasCriticalSection = false; ///< in its own body
  bool isBroken = false;           ///< contains a syntax error
  bool hasErrors = false;   ///< consequences of these errors are not reported
  unsigned branchCount = 0; ///< statements, and operators that branch
  std::vector<std::unique_ptr<VarDecl>> variables;
  struct CallSite {
    FunctionDecl *callee;
    SourceRange range;
    bool isInCriticalSection = false;
  };
  std::vector<CallSite> calls;
};

struct EndpointDecl : DeclOf<DeclKind::Endpoint> {
  using DeclOf::DeclOf;
  bool isInput = false;
  TypeSyntax typeSyntax;

  // Set by analysis.
  PpfDecl *ppf = nullptr;
  const Type *type = nullptr;
  FunctionDecl *body = nullptr; ///< inputs only
  struct Destination {
    EndpointDecl *input; ///< null: tx
    SourceRange wire;
  };
  std::vector<Destination> destinations; ///< outputs only
  unsigned feederCount = 0; ///< outputs, and `rx`, wired to this input
  std::string symbol() const;
  /// Symbol of the channel to the destination with this index.
  std::string channelSymbol(size_t destination) const;
};

struct PpfDecl : DeclOf<DeclKind::Ppf> {
  using DeclOf::DeclOf;
  std::vector<Annotation> annotations;
  std::vector<std::unique_ptr<EndpointDecl>> endpoints;

  // Set by analysis.
  ModuleDecl *module = nullptr;
  bool isCold = false;                ///< @cold
  bool hasBodyOfUnknownInput = false; ///< its error has been reported
  Scope scope;                        ///< the endpoints
  std::string symbol() const;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_DECLARATIONS_H
