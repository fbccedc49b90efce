// Walks over the syntax tree.

#ifndef KARAKAL_BAKER_LANG_TREE_ASTWALK_H
#define KARAKAL_BAKER_LANG_TREE_ASTWALK_H

#include "baker-lang/tree/Statements.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace karakal::lang {

using VisitExpr = llvm::function_ref<void(const Expr &)>;
using VisitStmt = llvm::function_ref<void(const Stmt &)>;

/// Calls `visit` for the direct operands of `expr`, in the order of the text.
void forEachOperand(const Expr &expr, VisitExpr visit);

/// Calls `visit` for the expressions of `initializer`, in the order of the
/// text.
void forEachExpr(const Initializer &initializer, VisitExpr visit);

/// Calls the visitors for the direct parts of `stmt`, in the order in which
/// they are evaluated.
void forEachPart(const Stmt &stmt, VisitExpr visitExpr, VisitStmt visitStmt);

/// What the three kinds of loop have in common. Parts that a loop does not have
/// are null.
struct LoopParts {
  Stmt *init = nullptr;
  Expr *condition = nullptr; ///< null: the loop is endless
  const std::vector<ExprPtr> *steps = nullptr;
  Stmt *body = nullptr;
  bool testsAfterBody = false; ///< do … while
};
/// Requires that `stmt` is a loop.
LoopParts loopParts(const Stmt &stmt);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_ASTWALK_H
