#include "baker-lang/tree/AstWalk.h"

#include "baker-lang/tree/Declarations.h"
#include "support/Error.h"

namespace karakal::lang {

void forEachOperand(const Expr &expr, VisitExpr visit) {
  auto each = [&](const auto &...operands) {
    ((operands ? visit(*operands) : void()), ...);
  };
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    each(call->callee);
    for (const ExprPtr &argument : call->arguments)
      each(argument);
  } else if (auto *index = llvm::dyn_cast<IndexExpr>(&expr)) {
    each(index->base, index->index);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&expr)) {
    each(field->base);
  } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    each(unary->operand);
  } else if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr)) {
    each(increment->operand);
  } else if (auto *cast = llvm::dyn_cast<CastExpr>(&expr)) {
    each(cast->operand);
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
    each(binary->left, binary->right);
  } else if (auto *choice = llvm::dyn_cast<ConditionalExpr>(&expr)) {
    each(choice->condition, choice->whenTrue, choice->whenFalse);
  } else if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr)) {
    each(assign->target, assign->value);
  }
}

void forEachExpr(const Initializer &initializer, VisitExpr visit) {
  if (initializer.expr)
    visit(*initializer.expr);
  for (const Initializer &part : initializer.list)
    forEachExpr(part, visit);
}

LoopParts loopParts(const Stmt &stmt) {
  if (auto *loop = llvm::dyn_cast<WhileStmt>(&stmt))
    return {nullptr, loop->condition.get(), nullptr, loop->body.get(), false};
  if (auto *loop = llvm::dyn_cast<DoStmt>(&stmt))
    return {nullptr, loop->condition.get(), nullptr, loop->body.get(), true};
  auto *loop = llvm::dyn_cast<ForStmt>(&stmt);
  KARAKAL_ASSERT(loop, "only loops have the parts of a loop");
  return {loop->init.get(), loop->condition.get(), &loop->steps,
          loop->body.get(), false};
}

static void forEachPartOfLoop(const LoopParts &loop, VisitExpr visitExpr,
                              VisitStmt visitStmt) {
  if (loop.init)
    visitStmt(*loop.init);
  if (loop.condition && !loop.testsAfterBody)
    visitExpr(*loop.condition);
  visitStmt(*loop.body);
  if (loop.steps)
    for (const ExprPtr &step : *loop.steps)
      visitExpr(*step);
  if (loop.condition && loop.testsAfterBody)
    visitExpr(*loop.condition);
}

void forEachPart(const Stmt &stmt, VisitExpr visitExpr, VisitStmt visitStmt) {
  switch (stmt.kind) {
  case StmtKind::Error:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Empty:
    return;
  case StmtKind::Block:
    for (const StmtPtr &part : llvm::cast<BlockStmt>(stmt).body)
      visitStmt(*part);
    return;
  case StmtKind::Const:
    if (const ExprPtr &value = llvm::cast<ConstStmt>(stmt).decl->value)
      visitExpr(*value);
    return;
  case StmtKind::Assert:
    return visitExpr(*llvm::cast<AssertStmt>(stmt).condition);
  case StmtKind::Declaration:
    for (const Declarator &part : llvm::cast<DeclarationStmt>(stmt).declarators)
      if (part.initializer)
        forEachExpr(*part.initializer, visitExpr);
    return;
  case StmtKind::If: {
    const auto &part = llvm::cast<IfStmt>(stmt);
    visitExpr(*part.condition);
    visitStmt(*part.whenTrue);
    if (part.whenFalse)
      visitStmt(*part.whenFalse);
    return;
  }
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For:
    return forEachPartOfLoop(loopParts(stmt), visitExpr, visitStmt);
  case StmtKind::Switch:
    visitExpr(*llvm::cast<SwitchStmt>(stmt).subject);
    for (const SwitchStmt::Case &part : llvm::cast<SwitchStmt>(stmt).cases) {
      if (part.value)
        visitExpr(*part.value);
      for (const StmtPtr &item : part.body)
        visitStmt(*item);
    }
    return;
  case StmtKind::Critical:
    visitExpr(*llvm::cast<CriticalStmt>(stmt).lock);
    return visitStmt(*llvm::cast<CriticalStmt>(stmt).body);
  case StmtKind::Return:
    if (const ExprPtr &value = llvm::cast<ReturnStmt>(stmt).value)
      visitExpr(*value);
    return;
  case StmtKind::Expression:
    return visitExpr(*llvm::cast<ExpressionStmt>(stmt).expr);
  }
  KARAKAL_UNREACHABLE("statement kind");
}

} // namespace karakal::lang
