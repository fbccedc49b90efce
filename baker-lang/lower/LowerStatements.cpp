// Control flow of bodies.
//
// After each statement the builder is at the point where the next statement
// continues. Statements after a jump go to a block without predecessors, which
// is removed at the end.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/TypeLayout.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace cf = mlir::cf;
namespace arith = mlir::arith;
using mlir::Block;

namespace karakal::lang {

FunctionLowering::FunctionLowering(ProgramLowering &parent,
                                   const FunctionDecl &decl,
                                   mlir::func::FuncOp op,
                                   const std::vector<AccessPath> &paths)
    : parent(parent), decl(decl), op(op), paths(paths),
      builder(op.getContext()), ssa(op.getLoc()) {}

void FunctionLowering::run() {
  KARAKAL_ASSERT(decl.body && decl.result, "a function without a body");
  Block *entry = op.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  ssa.seal(entry);
  bindParameters(entry);
  findMemoryLocals();
  lowerBlock(decl.body->body);
  SourceRange end = decl.body->range;
  end.begin = end.end > 0 ? end.end - 1 : 0;
  if (decl.result->isScalar()) // PacketFlowCheck: not reachable
    builder.create<mlir::func::ReturnOp>(location(end),
                                         constant(0, decl.result, end));
  else
    builder.create<mlir::func::ReturnOp>(location(end));
  KARAKAL_ASSERT(jumpTargets.empty() && !lock,
                 "a loop or critical section was not left");
  finishVariables();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void FunctionLowering::start(Block *block, bool isSealed) {
  op.getBody().push_back(block);
  builder.setInsertionPointToEnd(block);
  if (isSealed)
    ssa.seal(block);
}

void FunctionLowering::jump(Block *to, SourceRange where) {
  builder.create<cf::BranchOp>(location(where), to);
}

void FunctionLowering::branch(const Expr &condition, Block *whenTrue,
                              Block *whenFalse) {
  if (condition.constant)
    return jump(*condition.constant ? whenTrue : whenFalse, condition.range);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&condition);
      binary && isLogical(binary->op)) {
    Block *right = newBlock();
    bool isAnd = binary->op == BinaryOp::LogicalAnd;
    branch(*binary->left, isAnd ? right : whenTrue, isAnd ? whenFalse : right);
    start(right);
    return branch(*binary->right, whenTrue, whenFalse);
  }
  auto *unary = llvm::dyn_cast<UnaryExpr>(&condition);
  if (unary && unary->op == UnaryOp::Not)
    return branch(*unary->operand, whenFalse, whenTrue);
  mlir::Value truth = lowerAs(condition, parent.types().boolType());
  builder.create<cf::CondBranchOp>(location(condition.range), truth, whenTrue,
                                   whenFalse);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerBlock(const std::vector<StmtPtr> &body) {
  for (const StmtPtr &stmt : body)
    lower(*stmt);
}

void FunctionLowering::lower(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Error:
  case StmtKind::Empty:
  case StmtKind::Const:
  case StmtKind::Assert:
    return;
  case StmtKind::Block:
    return lowerBlock(llvm::cast<BlockStmt>(stmt).body);
  case StmtKind::Declaration:
    return lowerDeclaration(llvm::cast<DeclarationStmt>(stmt));
  case StmtKind::If:
    return lowerIf(llvm::cast<IfStmt>(stmt));
  case StmtKind::While:
    return lowerWhile(llvm::cast<WhileStmt>(stmt));
  case StmtKind::Do:
    return lowerDo(llvm::cast<DoStmt>(stmt));
  case StmtKind::For:
    return lowerFor(llvm::cast<ForStmt>(stmt));
  case StmtKind::Switch:
    return lowerSwitch(llvm::cast<SwitchStmt>(stmt));
  case StmtKind::Critical:
    return lowerCritical(llvm::cast<CriticalStmt>(stmt));
  case StmtKind::Break:
    return lowerBreak(stmt);
  case StmtKind::Continue:
    return lowerContinue(stmt);
  case StmtKind::Return:
    return lowerReturn(llvm::cast<ReturnStmt>(stmt));
  case StmtKind::Expression:
    lower(*llvm::cast<ExpressionStmt>(stmt).expr);
    return;
  }
}

void FunctionLowering::lowerBreak(const Stmt &stmt) {
  KARAKAL_ASSERT(!jumpTargets.empty(), "'break' outside a loop or switch");
  if (lock != jumpTargets.back().lock)
    leaveSection(stmt.range);
  jump(jumpTargets.back().breakTo, stmt.range);
  start(newBlock());
}

void FunctionLowering::lowerContinue(const Stmt &stmt) {
  auto loop =
      llvm::find_if(llvm::reverse(jumpTargets), [](const JumpTargets &targets) {
        return targets.continueTo != nullptr;
      });
  KARAKAL_ASSERT(loop != jumpTargets.rend(), "'continue' outside a loop");
  if (lock != loop->lock)
    leaveSection(stmt.range);
  jump(loop->continueTo, stmt.range);
  start(newBlock());
}

void FunctionLowering::lowerDeclaration(const DeclarationStmt &stmt) {
  for (const Declarator &declared : stmt.declarators) {
    const Initializer *value =
        declared.initializer ? &*declared.initializer : nullptr;
    if (declared.decl->type->isPointer()) {
      pointers[declared.decl] = pointee(*value->expr);
      continue;
    }
    if (memoryLocals.count(declared.decl)) {
      lowerMemoryLocal(declared.decl, value, declared.name.range);
      continue;
    }
    unsigned scalar = 0;
    if (value || !declared.decl->type->isPacket())
      lowerInitial(declared.decl, declared.decl->type, scalar, value,
                   declared.name.range);
  }
}

void FunctionLowering::lowerInitial(const VarDecl *variable, const Type *type,
                                    unsigned &scalar, const Initializer *value,
                                    SourceRange where) {
  if (!type->isAggregate()) {
    mlir::Value initial =
        value ? lowerAs(*value->expr, type) : constant(0, type, where);
    return setScalar(variable, scalar++, initial, where);
  }
  for (uint64_t i = 0; i < partCountOf(type); ++i)
    lowerInitial(variable, partTypeOf(type, i), scalar,
                 value && i < value->list.size() ? &value->list[i] : nullptr,
                 where);
}

void FunctionLowering::lowerCritical(const CriticalStmt &stmt) {
  KARAKAL_ASSERT(!lock, "a critical section inside another one");
  mlir::Value taken = lvalue(*stmt.lock).base;
  builder.create<ir::LockOp>(location(stmt.lock->range), taken);
  lock = taken;
  lower(*stmt.body);
  leaveSection(stmt.range);
  lock = {};
}

void FunctionLowering::leaveSection(SourceRange where) {
  if (lock)
    builder.create<ir::UnlockOp>(location(where), lock);
}

void FunctionLowering::lowerIf(const IfStmt &stmt) {
  Block *whenTrue = newBlock(), *after = newBlock();
  Block *whenFalse = stmt.whenFalse ? newBlock() : after;
  branch(*stmt.condition, whenTrue, whenFalse);
  start(whenTrue);
  lower(*stmt.whenTrue);
  jump(after, stmt.range);
  if (stmt.whenFalse) {
    start(whenFalse);
    lower(*stmt.whenFalse);
    jump(after, stmt.range);
  }
  start(after);
}

void FunctionLowering::lowerLoopBody(const Stmt &loop, uint32_t number,
                                     Block *breakTo, Block *continueTo) {
  if (loop.bound)
    builder.create<ir::LoopIterationOp>(location(loop.range), number,
                                        loop.bound->iterationsMax);
  jumpTargets.push_back({breakTo, continueTo, lock});
  lower(*loopParts(loop).body);
  jumpTargets.pop_back();
}

uint32_t FunctionLowering::enterLoop(const Stmt &loop, Block *head) {
  uint32_t number = 0;
  if (loop.bound) {
    number = parent.nextLoopNumber();
    builder.create<ir::LoopEntryOp>(location(loop.range), number);
  }
  jump(head, loop.range);
  start(head, /*isSealed=*/false);
  return number;
}

void FunctionLowering::lowerWhile(const WhileStmt &stmt) {
  Block *head = newBlock(), *body = newBlock(), *after = newBlock();
  uint32_t number = enterLoop(stmt, head);
  branch(*stmt.condition, body, after);
  start(body);
  lowerLoopBody(stmt, number, after, head);
  jump(head, stmt.range);
  ssa.seal(head);
  start(after);
}

void FunctionLowering::lowerDo(const DoStmt &stmt) {
  Block *body = newBlock(), *test = newBlock(), *after = newBlock();
  uint32_t number = enterLoop(stmt, body);
  lowerLoopBody(stmt, number, after, test);
  jump(test, stmt.range);
  start(test);
  branch(*stmt.condition, body, after);
  ssa.seal(body);
  start(after);
}

void FunctionLowering::lowerFor(const ForStmt &stmt) {
  if (stmt.init)
    lower(*stmt.init);
  Block *head = newBlock(), *body = newBlock(), *step = newBlock(),
        *after = newBlock();
  uint32_t number = enterLoop(stmt, head);
  if (stmt.condition)
    branch(*stmt.condition, body, after);
  else
    jump(body, stmt.range);
  start(body);
  lowerLoopBody(stmt, number, after, step);
  jump(step, stmt.range);
  start(step);
  for (const ExprPtr &part : stmt.steps)
    lower(*part);
  jump(head, stmt.range);
  ssa.seal(head);
  start(after);
}

void FunctionLowering::lowerSwitch(const SwitchStmt &stmt) {
  Block *after = newBlock();
  Block *otherwise = after;
  const Type *type = stmt.subjectType;
  mlir::Value subject = lowerAs(*stmt.subject, type);
  std::vector<Block *> bodies;
  for (const SwitchStmt::Case &part : stmt.cases) {
    bodies.push_back(newBlock());
    if (!part.value)
      otherwise = bodies.back();
  }
  for (size_t i = 0; i < stmt.cases.size(); ++i) {
    const Expr *value = stmt.cases[i].value.get();
    if (!value)
      continue;
    Block *next = newBlock();
    mlir::Value equal =
        compare(BinaryOp::Equal, subject,
                constant(convertConstant(*value->constant, value->type, type),
                         type, value->range),
                type, value->range);
    builder.create<cf::CondBranchOp>(location(value->range), equal, bodies[i],
                                     next);
    start(next);
  }
  jump(otherwise, stmt.range);
  jumpTargets.push_back({after, nullptr, lock});
  for (size_t i = 0; i < stmt.cases.size(); ++i) {
    start(bodies[i]);
    lowerBlock(stmt.cases[i].body);
    jump(i + 1 < bodies.size() ? bodies[i + 1] : after, stmt.range);
  }
  jumpTargets.pop_back();
  start(after);
}

void FunctionLowering::lowerReturn(const ReturnStmt &stmt) {
  mlir::Value value;
  if (stmt.value)
    value = lowerAs(*stmt.value, decl.result);
  leaveSection(stmt.range);
  if (value)
    builder.create<mlir::func::ReturnOp>(location(stmt.range), value);
  else
    builder.create<mlir::func::ReturnOp>(location(stmt.range));
  start(newBlock());
}

} // namespace karakal::lang
