// Warns of values that are overwritten before they are read.
//
//     best = cost;           warning: the value of 'best' is never read: …
//     best = other + 1;
//     use(best);
//
// Walks each body once from its end to its start, with the set of variables
// that some path from there reads before it assigns them (the live variables).
// A loop is walked twice: the first time to learn what its start needs, which
// is what flows back to its end. An inner loop needs no second walk while the
// outer one learns, because what a loop's start needs does not change when it
// is added to the loop's end.
//
// `u32 x = 0;` is not reported: it is a habit, and does no harm. Arrays and
// structs are left out.

#include "baker-lang/checks/DeadStoreCheck.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <set>

namespace karakal::lang {

namespace {

class DeadStoreCheck {
public:
  explicit DeadStoreCheck(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}
  void run(const FunctionDecl &function) {
    KARAKAL_ASSERT(function.body, "a function without a body");
    noteReads(*function.body);
    visit(*function.body);
  }

private:
  using Live = std::set<const Decl *>;

  void noteReads(const Stmt &stmt);
  void noteReads(const Expr &expr, bool isUsed);
  void visit(const Stmt &stmt);
  void visit(const std::vector<StmtPtr> &body);
  void visitDeclaration(const DeclarationStmt &stmt);
  void visitIf(const IfStmt &stmt);
  void visitLoop(const Stmt &stmt);
  void visitIteration(const LoopParts &loop, const Live &after);
  void visitSwitch(const SwitchStmt &stmt);
  /// `isUsed`: the value of the expression is used.
  void visit(const Expr &expr, bool isUsed = true);
  void visitAssign(const AssignExpr &expr, bool isUsed);
  void join(const Live &other) { live.insert(other.begin(), other.end()); }

  Diagnostics &diagnostics;
  Live live;
  Live atBreak, atContinue;
  std::set<const Decl *> everRead;
  /// Learns what the start of a loop needs, and reports nothing.
  bool isLearning = false;
};

/// The scalar variable that `expr` names, or null.
const VarDecl *scalarOf(const Expr &expr) {
  auto *name = llvm::dyn_cast<NameExpr>(&expr);
  auto *variable = name ? llvm::dyn_cast_or_null<VarDecl>(name->decl) : nullptr;
  return variable && variable->type->isScalar() ? variable : nullptr;
}

} // namespace

//===----------------------------------------------------------------------===//
// Variables that are read at all
//===----------------------------------------------------------------------===//

void DeadStoreCheck::noteReads(const Stmt &stmt) {
  if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    for (const ExprPtr &step : loop->steps)
      noteReads(*step, /*isUsed=*/false);
    if (loop->init)
      noteReads(*loop->init);
    if (loop->condition)
      noteReads(*loop->condition, /*isUsed=*/true);
    return noteReads(*loop->body);
  }
  bool isUsed = stmt.kind != StmtKind::Expression;
  forEachPart(
      stmt, [&](const Expr &expr) { noteReads(expr, isUsed); },
      [&](const Stmt &part) { noteReads(part); });
}

void DeadStoreCheck::noteReads(const Expr &expr, bool isUsed) {
  if (const VarDecl *variable = scalarOf(expr)) {
    everRead.insert(variable);
    return;
  }
  const Expr *target = nullptr;
  if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr))
    target = assign->target.get();
  else if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr))
    target = increment->operand.get();
  forEachOperand(expr, [&](const Expr &operand) {
    if (&operand != target || isUsed || !scalarOf(operand))
      noteReads(operand, /*isUsed=*/true);
  });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void DeadStoreCheck::visitAssign(const AssignExpr &expr, bool isUsed) {
  const VarDecl *variable = scalarOf(*expr.target);
  if (!variable) {
    visit(*expr.target);
    return visit(*expr.value);
  }
  if (!isUsed && !isLearning && !live.count(variable) &&
      everRead.count(variable))
    report(diagnostics, DiagId::DeadStore, expr.range,
           "the value that '" + variable->name +
               "' gets here is never read: it is assigned again, or not used "
               "any more");
  live.erase(variable);
  if (expr.op)
    live.insert(variable);
  visit(*expr.value);
}

/// Operands from the last to the first.
void DeadStoreCheck::visit(const Expr &expr, bool isUsed) {
  if (const VarDecl *variable = scalarOf(expr)) {
    live.insert(variable);
  } else if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr)) {
    visitAssign(*assign, isUsed);
  } else if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr);
             increment && scalarOf(*increment->operand)) {
    // The value may be that of the whole expression, so it is not dead.
    live.insert(scalarOf(*increment->operand));
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr);
             binary && isLogical(binary->op)) {
    Live otherwise = live;
    visit(*binary->right);
    join(otherwise);
    visit(*binary->left);
  } else if (auto *choice = llvm::dyn_cast<ConditionalExpr>(&expr)) {
    Live after = live;
    visit(*choice->whenTrue);
    std::swap(live, after);
    visit(*choice->whenFalse);
    join(after);
    visit(*choice->condition);
  } else {
    std::vector<const Expr *> operands;
    forEachOperand(expr,
                   [&](const Expr &operand) { operands.push_back(&operand); });
    for (auto i = operands.rbegin(); i != operands.rend(); ++i)
      visit(**i);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Statements after a jump are never reached, which has its own warning.
void DeadStoreCheck::visit(const std::vector<StmtPtr> &body) {
  auto end = std::find_if(body.begin(), body.end(), [](const StmtPtr &stmt) {
    return stmt->kind == StmtKind::Break || stmt->kind == StmtKind::Continue ||
           stmt->kind == StmtKind::Return;
  });
  if (end != body.end())
    ++end;
  while (end != body.begin())
    visit(**--end);
}

void DeadStoreCheck::visit(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Block:
    return visit(llvm::cast<BlockStmt>(stmt).body);
  case StmtKind::Declaration:
    return visitDeclaration(llvm::cast<DeclarationStmt>(stmt));
  case StmtKind::If:
    return visitIf(llvm::cast<IfStmt>(stmt));
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For:
    return visitLoop(stmt);
  case StmtKind::Switch:
    return visitSwitch(llvm::cast<SwitchStmt>(stmt));
  case StmtKind::Break:
    live = atBreak;
    return;
  case StmtKind::Continue:
    live = atContinue;
    return;
  case StmtKind::Return:
    live.clear();
    if (const ExprPtr &value = llvm::cast<ReturnStmt>(stmt).value)
      visit(*value);
    return;
  case StmtKind::Const:
  case StmtKind::Assert:
    return;
  case StmtKind::Expression:
    return visit(*llvm::cast<ExpressionStmt>(stmt).expr, /*isUsed=*/false);
  case StmtKind::Critical:
    visit(*llvm::cast<CriticalStmt>(stmt).body);
    return visit(*llvm::cast<CriticalStmt>(stmt).lock);
  case StmtKind::Empty:
  case StmtKind::Error:
    return;
  }
  KARAKAL_UNREACHABLE("statement kind");
}

void DeadStoreCheck::visitDeclaration(const DeclarationStmt &stmt) {
  for (auto i = stmt.declarators.rbegin(); i != stmt.declarators.rend(); ++i) {
    KARAKAL_ASSERT(i->decl, "a declaration that was not analyzed");
    bool isScalar = i->decl->type->isScalar();
    const Expr *value = i->initializer ? i->initializer->expr.get() : nullptr;
    if (isScalar && value && !value->constant && !isLearning &&
        !live.count(i->decl) && everRead.count(i->decl))
      report(diagnostics, DiagId::DeadStore, i->name.range,
             "the first value of '" + i->decl->name +
                 "' is never read: it is assigned again, or not used any more");
    live.erase(i->decl);
    std::vector<const Expr *> parts;
    if (i->initializer)
      forEachExpr(*i->initializer,
                  [&](const Expr &expr) { parts.push_back(&expr); });
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      visit(**part);
  }
}

void DeadStoreCheck::visitIf(const IfStmt &stmt) {
  Live after = live;
  visit(*stmt.whenTrue);
  std::swap(live, after);
  if (stmt.whenFalse)
    visit(*stmt.whenFalse);
  join(after);
  visit(*stmt.condition);
}

/// From the end of an iteration, where `live` is what the next one needs or the
/// loop's end, to its start.
void DeadStoreCheck::visitIteration(const LoopParts &loop, const Live &after) {
  auto visitCondition = [&] {
    if (!loop.condition)
      return;
    bool isEndless = loop.condition->constant && *loop.condition->constant;
    if (!isEndless)
      join(after);
    visit(*loop.condition);
  };
  if (loop.testsAfterBody)
    visitCondition();
  if (loop.steps)
    for (auto i = loop.steps->rbegin(); i != loop.steps->rend(); ++i)
      visit(**i, /*isUsed=*/false);
  atContinue = live;
  visit(*loop.body);
  if (!loop.testsAfterBody)
    visitCondition();
}

void DeadStoreCheck::visitLoop(const Stmt &stmt) {
  LoopParts loop = loopParts(stmt);
  llvm::SaveAndRestore inBreak(atBreak, live);
  llvm::SaveAndRestore inContinue(atContinue);
  const Live after = live;
  {
    llvm::SaveAndRestore learning(isLearning, true);
    live.clear();
    visitIteration(loop, after);
  }
  if (!isLearning)
    visitIteration(loop, after);
  if (loop.init)
    visit(*loop.init);
}

void DeadStoreCheck::visitSwitch(const SwitchStmt &stmt) {
  llvm::SaveAndRestore inBreak(atBreak, live);
  const Live after = live;
  Live entry;
  bool hasDefault = false;
  for (auto i = stmt.cases.rbegin(); i != stmt.cases.rend(); ++i) {
    hasDefault |= !i->value;
    visit(i->body); // continues in the case below, or after the switch
    entry.insert(live.begin(), live.end());
  }
  live = entry;
  if (!hasDefault)
    join(after);
  visit(*stmt.subject);
}

void checkDeadStores(const Program &program, Diagnostics &diagnostics) {
  program.forEachFunction([&](const FunctionDecl &function) {
    DeadStoreCheck(diagnostics).run(function);
  });
}

} // namespace karakal::lang
