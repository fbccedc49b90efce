// Control flow.
//
// Every statement leaves the builder at a place where the next one can go; code
// behind a jump goes into a block without predecessors, removed at the end.

#include "baker-lang/lower/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace cf = mlir::cf;
namespace arith = mlir::arith;
using mlir::Block;

namespace karakal::lang {

FunctionLowering::FunctionLowering(Lowering &parent, const FunctionDecl &decl,
                                   mlir::func::FuncOp op,
                                   const std::vector<PointedPath> &paths)
    : paths(paths), parent(parent), decl(decl), op(op),
      builder(op.getContext()), ssa(op.getLoc()) {}

void FunctionLowering::run() {
  Block *entry = op.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  ssa.seal(entry);
  bindParameters(entry);
  lowerBlock(decl.body->body);
  SourceRange end = decl.body->range;
  end.begin = end.end > 0 ? end.end - 1 : 0;
  if (decl.result->isScalar()) // not reached, says FlowCheck
    builder.create<mlir::func::ReturnOp>(location(end),
                                         constant(0, decl.result, end));
  else
    builder.create<mlir::func::ReturnOp>(location(end));
  Ssa::simplify(op.getBody());
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
  static const Type boolean = [] {
    Type type;
    type.kind = TypeKind::Bool;
    return type;
  }();
  mlir::Value truth = lowerAs(condition, &boolean);
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
    if (lock != targets.back().lock)
      leaveSection(stmt.range);
    jump(targets.back().breakTo, stmt.range);
    return start(newBlock());
  case StmtKind::Continue:
    for (auto it = targets.rbegin(); it != targets.rend(); ++it)
      if (it->continueTo) {
        if (lock != it->lock)
          leaveSection(stmt.range);
        jump(it->continueTo, stmt.range);
        break;
      }
    return start(newBlock());
  case StmtKind::Return:
    return lowerReturn(llvm::cast<ReturnStmt>(stmt));
  case StmtKind::Expression:
    lower(*llvm::cast<ExpressionStmt>(stmt).expr);
    return;
  }
}

void FunctionLowering::lowerDeclaration(const DeclarationStmt &stmt) {
  for (const Declarator &declared : stmt.declarators) {
    const Initializer *value =
        declared.initializer ? &*declared.initializer : nullptr;
    if (declared.decl->type->isPointer()) {
      pointers[declared.decl] = pointedBy(*value->expr);
      continue;
    }
    unsigned part = 0;
    if (value || !declared.decl->type->isPacket())
      lowerInitial(declared.decl, declared.decl->type, part, value,
                   declared.name.range);
  }
}

/// Writes the scalars of `type` from `part` on; zeros where no value stands.
void FunctionLowering::lowerInitial(const VarDecl *variable, const Type *type,
                                    unsigned &part, const Initializer *value,
                                    SourceRange where) {
  if (!type->isAggregate()) {
    mlir::Value initial =
        value ? lowerAs(*value->expr, type) : constant(0, type, where);
    ssa.write(partOf(variable, part++), here(), initial);
    return;
  }
  bool isArray = type->is(TypeKind::Array);
  uint64_t count = isArray ? type->size : type->record->fields.size();
  for (uint64_t i = 0; i < count; ++i)
    lowerInitial(
        variable, isArray ? type->element : type->record->fields[i].type, part,
        value && i < value->list.size() ? &value->list[i] : nullptr, where);
}

void FunctionLowering::lowerCritical(const CriticalStmt &stmt) {
  mlir::Value taken = place(*stmt.lock).base;
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

void FunctionLowering::lowerBody(const Stmt &loop, const Stmt &body,
                                 uint32_t number, Block *breakTo,
                                 Block *continueTo) {
  if (loop.bound)
    builder.create<ir::LoopRoundOp>(location(loop.range), number,
                                    loop.bound->rounds);
  targets.push_back({breakTo, continueTo, lock});
  lower(body);
  targets.pop_back();
}

uint32_t FunctionLowering::enterLoop(const Stmt &loop, Block *head) {
  uint32_t number = 0;
  if (loop.bound) {
    number = parent.newLoop();
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
  lowerBody(stmt, *stmt.body, number, after, head);
  jump(head, stmt.range);
  ssa.seal(head);
  start(after);
}

void FunctionLowering::lowerDo(const DoStmt &stmt) {
  Block *body = newBlock(), *test = newBlock(), *after = newBlock();
  uint32_t number = enterLoop(stmt, body);
  lowerBody(stmt, *stmt.body, number, after, test);
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
  lowerBody(stmt, *stmt.body, number, after, step);
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
  targets.push_back({after, nullptr, lock});
  for (size_t i = 0; i < stmt.cases.size(); ++i) {
    start(bodies[i]);
    lowerBlock(stmt.cases[i].body);
    jump(i + 1 < bodies.size() ? bodies[i + 1] : after, stmt.range);
  }
  targets.pop_back();
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
