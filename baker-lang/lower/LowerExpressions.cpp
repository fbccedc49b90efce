// Expressions.
//
// The value of an expression has the MLIR type of its Baker type. The user of
// the value converts it. Operands are evaluated from left to right, the target
// of an assignment before the value.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/WideConstant.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace arith = mlir::arith;
namespace cf = mlir::cf;
using mlir::Block;
using mlir::Value;

namespace karakal::lang {

Value FunctionLowering::lower(const Expr &expr) {
  KARAKAL_ASSERT(expr.type && !expr.type->isError(),
                 "lowering requires typed expressions");
  if (expr.constant)
    return constant(*expr.constant, expr.type, expr.range);
  if (expr.type->isWide())
    if (auto value = wideConstantOf(expr))
      return builder.create<arith::ConstantOp>(
          location(expr.range),
          mlir::IntegerAttr::get(parent.lowerType(expr.type), *value));
  return lowerKind(expr);
}

Value FunctionLowering::lowerAs(const Expr &expr, const Type *type) {
  if (expr.constant && type->isScalar() && !type->isWide())
    return constant(convertConstant(*expr.constant, expr.type, type), type,
                    expr.range);
  if (expr.type->isPointer())
    return lowerHit(expr);
  Value value = lower(expr);
  if (expr.type->isPacket() && type->is(TypeKind::Bool))
    return builder.create<ir::PacketHeldOp>(location(expr.range),
                                            builder.getI1Type(), value);
  return type->isScalar() ? convert(value, expr.type, type, expr.range) : value;
}

Value FunctionLowering::lowerKind(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Name:
  case ExprKind::Index:
  case ExprKind::Field:
    return load(lvalue(expr), expr.range);
  case ExprKind::Call:
    return lowerCall(llvm::cast<CallExpr>(expr));
  case ExprKind::Unary:
    if (llvm::cast<UnaryExpr>(expr).op == UnaryOp::Dereference)
      return load(lvalue(expr), expr.range);
    return lowerUnary(llvm::cast<UnaryExpr>(expr));
  case ExprKind::Increment:
    return lowerIncrement(llvm::cast<IncrementExpr>(expr));
  case ExprKind::Cast: {
    const auto &cast = llvm::cast<CastExpr>(expr);
    return lowerAs(*cast.operand, cast.type);
  }
  case ExprKind::Binary:
    return lowerBinary(llvm::cast<BinaryExpr>(expr));
  case ExprKind::Conditional: {
    const auto &choice = llvm::cast<ConditionalExpr>(expr);
    return lowerChoice(*choice.condition, choice.whenTrue.get(),
                       choice.whenFalse.get(), expr.type, expr.range);
  }
  case ExprKind::Assign:
    return lowerAssign(llvm::cast<AssignExpr>(expr));
  default:
    KARAKAL_UNREACHABLE("an expression that analysis rejects");
  }
}

Value FunctionLowering::lowerUnary(const UnaryExpr &expr) {
  mlir::Location where = location(expr.range);
  if (expr.op == UnaryOp::Not) {
    Value truth = lowerAs(*expr.operand, expr.type);
    return builder.createOrFold<arith::XOrIOp>(
        where, truth, constant(1, expr.type, expr.range));
  }
  Value value = lowerAs(*expr.operand, expr.type);
  if (expr.op == UnaryOp::Minus)
    return builder.createOrFold<arith::SubIOp>(
        where, constant(0, expr.type, expr.range), value);
  if (expr.op == UnaryOp::Complement)
    return builder.createOrFold<arith::XOrIOp>(
        where, value, constant(~uint64_t(0), expr.type, expr.range));
  return value;
}

Value FunctionLowering::lowerIncrement(const IncrementExpr &expr) {
  Lvalue target = lvalue(*expr.operand);
  Value old = load(target, expr.range);
  Value one = constant(1, expr.type, expr.range);
  mlir::Location where = location(expr.range);
  Value next = expr.isDecrement
                   ? builder.createOrFold<arith::SubIOp>(where, old, one)
                   : builder.createOrFold<arith::AddIOp>(where, old, one);
  store(target, next, expr.range);
  return expr.isPrefix ? next : old;
}

Value FunctionLowering::lowerBinary(const BinaryExpr &expr) {
  if (isLogical(expr.op))
    return lowerChoice(expr, nullptr, nullptr, expr.type, expr.range);
  Value left = lowerAs(*expr.left, expr.operandType);
  Value right = isShift(expr.op) ? lower(*expr.right)
                                 : lowerAs(*expr.right, expr.operandType);
  return binary(expr.op, left, *expr.right, right, expr.operandType,
                expr.opRange);
}

Value FunctionLowering::lowerChoice(const Expr &condition, const Expr *whenTrue,
                                    const Expr *whenFalse, const Type *type,
                                    SourceRange where) {
  Block *first = newBlock(), *second = newBlock(), *merge = newBlock();
  branch(condition, first, second);
  Value result = merge->addArgument(parent.lowerType(type), location(where));
  auto lowerArm = [&](Block *block, const Expr *expr, bool truth) {
    start(block);
    Value value = expr ? lowerAs(*expr, type) : constant(truth, type, where);
    builder.create<cf::BranchOp>(location(where), merge, value);
  };
  lowerArm(first, whenTrue, true);
  lowerArm(second, whenFalse, false);
  start(merge);
  return result;
}

Value FunctionLowering::lowerAssign(const AssignExpr &expr) {
  Lvalue target = lvalue(*expr.target);
  const Type *type = expr.target->type;
  Value value;
  if (!expr.op) {
    value = lowerAs(*expr.value, type);
  } else {
    Value old = convert(load(target, expr.target->range), type,
                        expr.operandType, expr.range);
    Value right = isShift(*expr.op) ? lower(*expr.value)
                                    : lowerAs(*expr.value, expr.operandType);
    Value result = binary(*expr.op, old, *expr.value, right, expr.operandType,
                          expr.opRange);
    value = convert(result, expr.operandType, type, expr.range);
  }
  store(target, value, expr.range);
  return value;
}

} // namespace karakal::lang
