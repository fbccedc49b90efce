// The syntax tree: expressions and statements.
//
// Built by AstBuilder from ANTLR's tree, which is thrown away then. Semantic
// analysis writes its findings into the nodes (the fields under "found by
// analysis"); lowering reads them and decides nothing about the language.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_AST_H
#define KARAKAL_BAKER_LANG_SYNTAX_AST_H

#include "baker-lang/syntax/Types.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace karakal::lang {

struct Decl;
struct ConstDecl;
struct VarDecl;
struct FunctionDecl;
struct EndpointDecl;
struct DropReasonDecl;
struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;

/// A name with its place.
struct Identifier {
  std::string name;
  SourceRange range;
};

/// A type as written, resolved later.
struct TypeSyntax {
  std::string name; ///< "u48", "int", "next_hop", "ether_pkt", …
  SourceRange range;
  bool isStarred = false;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

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
  Step,
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

  // Found by analysis.
  const Type *type = nullptr;
  /// The value, if it is constant (in the form of Types.h).
  std::optional<uint64_t> constant;
};

template <ExprKind Kind> struct ExprOf : Expr {
  explicit ExprOf(SourceRange range) : Expr(Kind, range) {}
  static bool classof(const Expr *expr) { return expr->kind == Kind; }
};

/// Stands where the text was not understood; nothing is reported about it.
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

/// A share such as `1e-4`: the argument of an annotation.
struct RateExpr : ExprOf<ExprKind::Rate> {
  using ExprOf::ExprOf;
  double value = 0;
};

/// The text of `trace`.
struct StringExpr : ExprOf<ExprKind::String> {
  using ExprOf::ExprOf;
  std::string text;
};

struct NameExpr : ExprOf<ExprKind::Name> {
  using ExprOf::ExprOf;
  std::string name;
  Decl *decl = nullptr; ///< found by analysis
};

/// The operations that the language knows.
enum class Primitive {
  None,
  Decap,
  Encap,
  Extend,
  Shorten,
  AddTail,
  RemoveTail,
  Create,
  Copy,
  Drop,
  Length,
  ChannelPut,
  AtomicAdd,
  Hash48,
  Hash64,
  Hash128,
  Timestamp,
  Random,
  Trace,
  DropCount,
};

/// What the chip does for programs beside packets.
inline bool isService(Primitive primitive) {
  return primitive >= Primitive::AtomicAdd;
}

/// Changes the packet of a handle that goes on holding it.
inline bool isResize(Primitive primitive) {
  return primitive >= Primitive::Extend && primitive <= Primitive::RemoveTail;
}

struct CallExpr : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  ExprPtr callee;
  std::vector<ExprPtr> arguments;

  // Found by analysis.
  Primitive primitive = Primitive::None;
  FunctionDecl *function = nullptr;
  EndpointDecl *endpoint = nullptr; ///< ChannelPut
  DropReasonDecl *reason = nullptr; ///< Drop, null if unspecified
  /// Where the packet can be too short or have no room: other handles that
  /// are held then, and go with it.
  std::vector<VarDecl *> held;
};

struct IndexExpr : ExprOf<ExprKind::Index> {
  using ExprOf::ExprOf;
  ExprPtr base, index;
};

/// What `base.name` or `base->name` turned out to be.
enum class Access {
  Error,
  StructField,
  PacketField,
  MetadataRoot,
  MetadataPort,
  MetadataField,
  Qualified, ///< member of a module
};

struct FieldExpr : ExprOf<ExprKind::Field> {
  using ExprOf::ExprOf;
  ExprPtr base;
  bool isArrow = false;
  Identifier field;

  // Found by analysis.
  Access access = Access::Error;
  Decl *decl = nullptr;    ///< protocol field, metadata field, module's member
  unsigned fieldIndex = 0; ///< of a struct
};

enum class UnaryOp { Plus, Minus, Not, Complement, AddressOf, Dereference };

struct UnaryExpr : ExprOf<ExprKind::Unary> {
  using ExprOf::ExprOf;
  UnaryOp op = UnaryOp::Plus;
  ExprPtr operand;
};

/// `++` and `--`.
struct StepExpr : ExprOf<ExprKind::Step> {
  using ExprOf::ExprOf;
  bool isIncrement = true, isPrefix = false;
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
  const Type *operandType = nullptr; ///< found: what both sides convert to
};

struct ConditionalExpr : ExprOf<ExprKind::Conditional> {
  using ExprOf::ExprOf;
  ExprPtr condition, whenTrue, whenFalse;
};

struct AssignExpr : ExprOf<ExprKind::Assign> {
  using ExprOf::ExprOf;
  std::optional<BinaryOp> op; ///< of `+=` and so on
  SourceRange opRange;
  ExprPtr target, value;
  const Type *operandType = nullptr; ///< found: in which `op` computes
};

struct SizeofExpr : ExprOf<ExprKind::Sizeof> {
  using ExprOf::ExprOf;
  TypeSyntax target;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The braces of an initializer, or one expression.
struct Initializer {
  SourceRange range;
  ExprPtr expr; ///< null if a list
  std::vector<Initializer> list;
};

/// One name in a declaration of variables.
struct Declarator {
  Identifier name;
  bool isStarred = false;
  std::vector<ExprPtr> dimensions; ///< null entries: `[]`
  std::optional<Initializer> initializer;
  VarDecl *decl = nullptr; ///< found by analysis, of a local
};

enum class StmtKind {
  Error,
  Block,
  Const,
  Assert,
  Declaration,
  If,
  While,
  Do,
  For,
  Switch,
  Critical,
  Break,
  Continue,
  Return,
  Expression,
  Empty,
};

/// `@bound(N)` in front of a loop: it makes N rounds at most.
struct LoopBound {
  Identifier name;
  ExprPtr argument;    ///< null if there is none
  uint32_t rounds = 0; ///< found by analysis
};

struct Stmt {
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
  virtual ~Stmt() = default;

  bool isLoop() const {
    return kind == StmtKind::While || kind == StmtKind::Do ||
           kind == StmtKind::For;
  }

  const StmtKind kind;
  SourceRange range;
  std::unique_ptr<LoopBound> bound; ///< of a loop; null if it has none
};

template <StmtKind Kind> struct StmtOf : Stmt {
  explicit StmtOf(SourceRange range) : Stmt(Kind, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == Kind; }
};

struct ErrorStmt : StmtOf<StmtKind::Error> {
  using StmtOf::StmtOf;
};

struct BlockStmt : StmtOf<StmtKind::Block> {
  using StmtOf::StmtOf;
  std::vector<StmtPtr> body;
};

struct ConstStmt : StmtOf<StmtKind::Const> {
  using StmtOf::StmtOf;
  std::unique_ptr<ConstDecl> decl;
  ~ConstStmt() override;
};

/// `static_assert(condition);`: nothing remains of it in the program.
struct AssertStmt : StmtOf<StmtKind::Assert> {
  using StmtOf::StmtOf;
  ExprPtr condition;
};

struct DeclarationStmt : StmtOf<StmtKind::Declaration> {
  using StmtOf::StmtOf;
  TypeSyntax type;
  std::vector<Declarator> declarators;
};

struct IfStmt : StmtOf<StmtKind::If> {
  using StmtOf::StmtOf;
  ExprPtr condition;
  StmtPtr whenTrue, whenFalse;
};

struct WhileStmt : StmtOf<StmtKind::While> {
  using StmtOf::StmtOf;
  ExprPtr condition;
  StmtPtr body;
};

struct DoStmt : StmtOf<StmtKind::Do> {
  using StmtOf::StmtOf;
  StmtPtr body;
  ExprPtr condition;
};

struct ForStmt : StmtOf<StmtKind::For> {
  using StmtOf::StmtOf;
  StmtPtr init;      ///< null, a declaration, or expressions in a block
  ExprPtr condition; ///< null: for ever
  std::vector<ExprPtr> steps;
  StmtPtr body;
};

struct SwitchStmt : StmtOf<StmtKind::Switch> {
  using StmtOf::StmtOf;
  struct Case {
    SourceRange range;
    ExprPtr value; ///< null: default
    std::vector<StmtPtr> body;
  };
  ExprPtr subject;
  std::vector<Case> cases;
  const Type *subjectType = nullptr; ///< found: in which cases compare
};

/// `critical (lock) body`
struct CriticalStmt : StmtOf<StmtKind::Critical> {
  using StmtOf::StmtOf;
  ExprPtr lock;
  StmtPtr body;
};

struct BreakStmt : StmtOf<StmtKind::Break> {
  using StmtOf::StmtOf;
};

struct ContinueStmt : StmtOf<StmtKind::Continue> {
  using StmtOf::StmtOf;
};

struct ReturnStmt : StmtOf<StmtKind::Return> {
  using StmtOf::StmtOf;
  ExprPtr value;
};

struct ExpressionStmt : StmtOf<StmtKind::Expression> {
  using StmtOf::StmtOf;
  ExprPtr expr;
};

struct EmptyStmt : StmtOf<StmtKind::Empty> {
  using StmtOf::StmtOf;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_AST_H
