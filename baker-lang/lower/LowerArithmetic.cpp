// Integer arithmetic.
//
// Every operation of Baker is defined. In the `arith` dialect, shifts by the
// width or more and divisions by zero are not. They are guarded here, unless
// the operands show that they cannot occur. A guard selects between two results
// and does not branch.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/UpperBound.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::Value;

namespace karakal::lang {

Value FunctionLowering::constant(uint64_t bits, const Type *type,
                                 SourceRange where) {
  KARAKAL_ASSERT(type->isScalar(), "only scalars have constants");
  mlir::Type mlirType = parent.lowerType(type);
  llvm::APInt value(64, canonical(bits, type));
  return builder.create<arith::ConstantOp>(
      location(where),
      mlir::IntegerAttr::get(mlirType, value.sextOrTrunc(type->bits())));
}

Value FunctionLowering::convert(Value value, const Type *from, const Type *to,
                                SourceRange where) {
  if (from->is(TypeKind::Bool) && to->is(TypeKind::Bool))
    return value;
  mlir::Location at = location(where);
  if (to->is(TypeKind::Bool))
    return builder.createOrFold<arith::CmpIOp>(at, arith::CmpIPredicate::ne,
                                               value, constant(0, from, where));
  if (to->bits() < from->bits())
    return builder.createOrFold<arith::TruncIOp>(at, parent.lowerType(to),
                                                 value);
  if (to->bits() == from->bits())
    return value;
  if (from->isSigned)
    return builder.createOrFold<arith::ExtSIOp>(at, parent.lowerType(to),
                                                value);
  return builder.createOrFold<arith::ExtUIOp>(at, parent.lowerType(to), value);
}

Value FunctionLowering::binary(BinaryOp op, Value left, const Expr &rightExpr,
                               Value right, const Type *type,
                               SourceRange where) {
  mlir::Location at = location(where);
  switch (op) {
  case BinaryOp::Multiply:
    return builder.createOrFold<arith::MulIOp>(at, left, right);
  case BinaryOp::Divide:
  case BinaryOp::Remainder:
    return divide(op, left, rightExpr, right, type, where);
  case BinaryOp::Add:
    return builder.createOrFold<arith::AddIOp>(at, left, right);
  case BinaryOp::Subtract:
    return builder.createOrFold<arith::SubIOp>(at, left, right);
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight:
    return shift(op, left, rightExpr, right, type, where);
  case BinaryOp::And:
    return builder.createOrFold<arith::AndIOp>(at, left, right);
  case BinaryOp::Xor:
    return builder.createOrFold<arith::XOrIOp>(at, left, right);
  case BinaryOp::Or:
    return builder.createOrFold<arith::OrIOp>(at, left, right);
  default:
    return compare(op, left, right, type, where);
  }
}

Value FunctionLowering::compare(BinaryOp op, Value left, Value right,
                                const Type *type, SourceRange where) {
  using P = arith::CmpIPredicate;
  bool isSigned = type->isSigned;
  P predicate = P::ne;
  switch (op) {
  case BinaryOp::Less:
    predicate = isSigned ? P::slt : P::ult;
    break;
  case BinaryOp::Greater:
    predicate = isSigned ? P::sgt : P::ugt;
    break;
  case BinaryOp::LessEqual:
    predicate = isSigned ? P::sle : P::ule;
    break;
  case BinaryOp::GreaterEqual:
    predicate = isSigned ? P::sge : P::uge;
    break;
  case BinaryOp::Equal:
    predicate = P::eq;
    break;
  default:
    break;
  }
  return builder.createOrFold<arith::CmpIOp>(location(where), predicate, left,
                                             right);
}

/// The amount is unsigned in its own width. An amount of the width or more
/// shifts all bits out.
Value FunctionLowering::shift(BinaryOp op, Value left, const Expr &amountExpr,
                              Value amount, const Type *type,
                              SourceRange where) {
  mlir::Location at = location(where);
  bool isLeft = op == BinaryOp::ShiftLeft;
  unsigned bits = type->bits();
  auto bound = upperBound(amountExpr);
  bool isInRange = bound && *bound < bits;
  // Promotion to 32 bits keeps the value of a narrow amount and its sign.
  const Type *amountType = amountExpr.type;
  Type unsignedAmount =
      Type::unsignedInteger(std::max(amountType->bits(), 32u));
  Value wide = convert(amount, amountType, &unsignedAmount, where);
  Value isOver;
  if (!isInRange)
    isOver =
        compare(BinaryOp::GreaterEqual, wide,
                constant(bits, &unsignedAmount, where), &unsignedAmount, where);
  Value fitted = convert(wide, &unsignedAmount, type, where);
  if (isLeft || !type->isSigned) {
    Value shifted =
        isLeft ? builder.createOrFold<arith::ShLIOp>(at, left, fitted)
               : builder.createOrFold<arith::ShRUIOp>(at, left, fitted);
    if (isInRange)
      return shifted;
    return builder.createOrFold<arith::SelectOp>(
        at, isOver, constant(0, type, where), shifted);
  }
  if (!isInRange)
    fitted = builder.createOrFold<arith::SelectOp>(
        at, isOver, constant(bits - 1, type, where), fitted);
  return builder.createOrFold<arith::ShRSIOp>(at, left, fitted);
}

Value FunctionLowering::plainDivide(bool wantsQuotient, Value left,
                                    Value divisor, const Type *type,
                                    SourceRange where) {
  mlir::Location at = location(where);
  if (wantsQuotient)
    return type->isSigned
               ? builder.createOrFold<arith::DivSIOp>(at, left, divisor)
               : builder.createOrFold<arith::DivUIOp>(at, left, divisor);
  return type->isSigned
             ? builder.createOrFold<arith::RemSIOp>(at, left, divisor)
             : builder.createOrFold<arith::RemUIOp>(at, left, divisor);
}

Value FunctionLowering::divideByConstant(bool wantsQuotient, Value left,
                                         Value right, uint64_t divisor,
                                         const Type *type, SourceRange where) {
  KARAKAL_ASSERT(divisor != 0, "analysis rejects a constant divisor of zero");
  bool isMinusOne = type->isSigned && int64_t(divisor) == -1;
  if (!isMinusOne)
    return plainDivide(wantsQuotient, left, right, type, where);
  Value zero = constant(0, type, where);
  return wantsQuotient
             ? builder.createOrFold<arith::SubIOp>(location(where), zero, left)
             : zero;
}

/// x / 0 is all ones, and x % 0 is x. The smallest number divided by -1 is
/// itself, with remainder 0.
Value FunctionLowering::divide(BinaryOp op, Value left, const Expr &rightExpr,
                               Value right, const Type *type,
                               SourceRange where) {
  mlir::Location at = location(where);
  bool wantsQuotient = op == BinaryOp::Divide;
  if (rightExpr.constant)
    return divideByConstant(
        wantsQuotient, left, right,
        convertConstant(*rightExpr.constant, rightExpr.type, type), type,
        where);
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return builder.createOrFold<arith::SelectOp>(at, condition, yes, no);
  };
  Value zero = constant(0, type, where);
  Value one = constant(1, type, where);
  Value allOnes = constant(~uint64_t(0), type, where);
  Value isZero = compare(BinaryOp::Equal, right, zero, type, where);
  Value divisor = select(isZero, one, right);
  Value isMinusOne;
  if (type->isSigned) {
    isMinusOne = compare(BinaryOp::Equal, right, allOnes, type, where);
    divisor = select(isMinusOne, one, divisor);
  }
  Value result = plainDivide(wantsQuotient, left, divisor, type, where);
  if (type->isSigned) {
    Value negated = wantsQuotient
                        ? builder.createOrFold<arith::SubIOp>(at, zero, left)
                        : zero;
    result = select(isMinusOne, negated, result);
  }
  return select(isZero, wantsQuotient ? allOnes : left, result);
}

} // namespace karakal::lang
