// The syntax tree: statements.
//
// A ConstStmt holds a declaration, which is defined in Declarations.h.

#ifndef KARAKAL_BAKER_LANG_TREE_STATEMENTS_H
#define KARAKAL_BAKER_LANG_TREE_STATEMENTS_H

#include "baker-lang/tree/Expressions.h"

namespace karakal::lang {

struct ConstDecl;
struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;

/// An initializer: one expression, or a list in braces.
struct Initializer {
  SourceRange range;
  ExprPtr expr; ///< null for a list
  std::vector<Initializer> list;
};

/// One name in a variable declaration.
struct Declarator {
  Identifier name;
  bool isStarred = false;
  std::vector<ExprPtr> dimensions; ///< a null entry stands for `[]`
  std::optional<Initializer> initializer;
  VarDecl *decl = nullptr; ///< set by analysis for a local variable
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

/// `@bound(N)` before a loop: the loop makes at most N iterations.
struct LoopBound {
  Identifier name;
  ExprPtr argument;           ///< null if missing
  uint32_t iterationsMax = 0; ///< set by analysis
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
  std::unique_ptr<LoopBound> bound; ///< null if none; loops only
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

/// `static_assert(condition);`. It generates no code.
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
  ExprPtr condition; ///< null: the loop is endless
  std::vector<ExprPtr> steps;
  StmtPtr body;
};

struct SwitchStmt : StmtOf<StmtKind::Switch> {
  using StmtOf::StmtOf;
  struct Case {
    SourceRange range;
    ExprPtr value; ///< null for `default`
    std::vector<StmtPtr> body;
  };
  ExprPtr subject;
  std::vector<Case> cases;
  /// Set by analysis: the type in which cases are compared.
  const Type *subjectType = nullptr;
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
  bool isFallThrough = false; ///< `@fallthrough;`
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_STATEMENTS_H
