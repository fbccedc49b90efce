// The syntax tree: expressions.
//
// AstBuilder builds the syntax tree from ANTLR's parse tree. Semantic analysis
// stores its results in the nodes, in the fields marked "set by analysis".
// Lowering reads them and makes no decision about the language itself.

#ifndef KARAKAL_BAKER_LANG_TREE_EXPRESSIONS_H
#define KARAKAL_BAKER_LANG_TREE_EXPRESSIONS_H

#include "baker-lang/tree/Primitives.h"
#include "baker-lang/tree/Types.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace karakal::lang {

struct Decl;
struct VarDecl;
struct FunctionDecl;
struct EndpointDecl;
struct DropReasonDecl;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// A name with its source range.
struct Identifier {
  std::string name;
  SourceRange range;
};

/// A type as written; analysis resolves it.
struct TypeSyntax {
  std::string name; ///< "u48", "int", "next_hop", "ether_pkt", …
  SourceRange range;
  bool isStarred = false;
};

enum class ExprKind {
  Error,
  Integer,
  Bool,
  Rate,
  String,
  Name,
  Call,
  Index,
  Field,
  Unary,
  Increment,
  Cast,
  Binary,
  Conditional,
  Assign,
  Sizeof,
};

struct Expr {
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Expr() = default;

  const ExprKind kind;
  SourceRange range;

  // Set by analysis.
  const Type *type = nullptr;
  /// The value of a constant expression, in the representation of Types.h.
  std::optional<uint64_t> constant;
};

template <ExprKind Kind> struct ExprOf : Expr {
  explicit ExprOf(SourceRange range) : Expr(Kind, range) {}
  static bool classof(const Expr *expr) { return expr->kind == Kind; }
};

/// Replaces an expression that did not parse. The error has been reported.
struct ErrorExpr : ExprOf<ExprKind::Error> {
  using ExprOf::ExprOf;
};

struct IntegerExpr : ExprOf<ExprKind::Integer> {
  using ExprOf::ExprOf;
  uint64_t value = 0;
};

struct BoolExpr : ExprOf<ExprKind::Bool> {
  using ExprOf::ExprOf;
  bool value = false;
};

/// A rate such as `1e-4`, an argument of an annotation.
struct RateExpr : ExprOf<ExprKind::Rate> {
  using ExprOf::ExprOf;
  double value = 0;
};

/// The format string of `trace`.
struct StringExpr : ExprOf<ExprKind::String> {
  using ExprOf::ExprOf;
  std::string text;
};

struct NameExpr : ExprOf<ExprKind::Name> {
  using ExprOf::ExprOf;
  std::string name;
  Decl *decl = nullptr; ///< set by analysis
};

struct CallExpr : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  ExprPtr callee;
  std::vector<ExprPtr> arguments;

  // Set by analysis.
  Primitive primitive = Primitive::None;
  FunctionDecl *function = nullptr;
  EndpointDecl *endpoint = nullptr; ///< ChannelPut
  DropReasonDecl *reason = nullptr; ///< Drop, null if unspecified
  /// The other handles that hold a packet here. If this call ends the
  /// invocation, because the packet is too short or its buffer has no space,
  /// their packets are dropped with it.
  std::vector<VarDecl *> heldHandles;
};

struct IndexExpr : ExprOf<ExprKind::Index> {
  using ExprOf::ExprOf;
  ExprPtr base, index;
};

/// What `base.name` or `base->name` refers to.
enum class Access {
  Error,
  StructField,
  PacketField,
  MetadataRoot,
  MetadataPort,
  MetadataField,
  ModuleMember,
};

struct FieldExpr : ExprOf<ExprKind::Field> {
  using ExprOf::ExprOf;
  ExprPtr base;
  bool isArrow = false;
  Identifier field;

  // Set by analysis.
  Access access = Access::Error;
  Decl *decl = nullptr;    ///< PacketField, MetadataField, ModuleMember
  unsigned fieldIndex = 0; ///< StructField: index among the struct's fields
};

enum class UnaryOp { Plus, Minus, Not, Complement, AddressOf, Dereference };

struct UnaryExpr : ExprOf<ExprKind::Unary> {
  using ExprOf::ExprOf;
  UnaryOp op = UnaryOp::Plus;
  ExprPtr operand;
};

/// `++` and `--`.
struct IncrementExpr : ExprOf<ExprKind::Increment> {
  using ExprOf::ExprOf;
  bool isDecrement = false, isPrefix = false;
  ExprPtr operand;
};

struct CastExpr : ExprOf<ExprKind::Cast> {
  using ExprOf::ExprOf;
  TypeSyntax target;
  ExprPtr operand;
};

struct BinaryExpr : ExprOf<ExprKind::Binary> {
  using ExprOf::ExprOf;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr left, right;
  /// Set by analysis: the type that both operands are converted to.
  const Type *operandType = nullptr;
};

struct ConditionalExpr : ExprOf<ExprKind::Conditional> {
  using ExprOf::ExprOf;
  ExprPtr condition, whenTrue, whenFalse;
};

struct AssignExpr : ExprOf<ExprKind::Assign> {
  using ExprOf::ExprOf;
  std::optional<BinaryOp> op; ///< `+` of `+=`; none for `=`
  SourceRange opRange;
  ExprPtr target, value;
  /// Set by analysis: the type in which `op` is computed.
  const Type *operandType = nullptr;
};

struct SizeofExpr : ExprOf<ExprKind::Sizeof> {
  using ExprOf::ExprOf;
  TypeSyntax target;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_EXPRESSIONS_H
