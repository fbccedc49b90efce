// Integer arithmetic.
//
// Nothing in Baker is undefined, much in `arith` is: shifts by the width or
// more and divisions by zero are guarded here, unless the operands show that
// they cannot occur. Guards select between results; they do not branch.

#include "baker-lang/lower/Lowering.h"
#include "baker-lang/sema/ValueRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::Value;

namespace karakal::lang {

Value FunctionLowering::constant(uint64_t bits, const Type *type,
                                 SourceRange where) {
  mlir::Type mlirType = parent.type(type);
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
    return builder.createOrFold<arith::TruncIOp>(at, parent.type(to), value);
  if (to->bits() == from->bits())
    return value;
  if (from->isSigned)
    return builder.createOrFold<arith::ExtSIOp>(at, parent.type(to), value);
  return builder.createOrFold<arith::ExtUIOp>(at, parent.type(to), value);
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

/// The amount is unsigned in its own width; too large an amount shifts all
/// bits out.
Value FunctionLowering::shift(BinaryOp op, Value left, const Expr &amountExpr,
                              Value amount, const Type *type,
                              SourceRange where) {
  mlir::Location at = location(where);
  bool isLeft = op == BinaryOp::ShiftLeft;
  unsigned bits = type->bits();
  auto bound = upperBound(amountExpr);
  bool isInside = bound && *bound < bits;
  // Promotion keeps the number of a narrow amount, its sign included.
  const Type *amountType = amountExpr.type;
  Type unsignedAmount = *amountType;
  unsigned amountBits = std::max(amountType->bits(), 32u);
  unsignedAmount.kind = TypeKind::Integer;
  unsignedAmount.width = amountBits;
  unsignedAmount.isSigned = false;
  Value wide = convert(amount, amountType, &unsignedAmount, where);
  Value isOver;
  if (!isInside)
    isOver =
        compare(BinaryOp::GreaterEqual, wide,
                constant(bits, &unsignedAmount, where), &unsignedAmount, where);
  Value fitted = convert(wide, &unsignedAmount, type, where);
  if (isLeft || !type->isSigned) {
    Value shifted =
        isLeft ? builder.createOrFold<arith::ShLIOp>(at, left, fitted)
               : builder.createOrFold<arith::ShRUIOp>(at, left, fitted);
    if (isInside)
      return shifted;
    return builder.createOrFold<arith::SelectOp>(
        at, isOver, constant(0, type, where), shifted);
  }
  if (!isInside)
    fitted = builder.createOrFold<arith::SelectOp>(
        at, isOver, constant(bits - 1, type, where), fitted);
  return builder.createOrFold<arith::ShRSIOp>(at, left, fitted);
}

/// x / 0 is all ones, x % 0 is x; the smallest number by -1 is itself, rest 0.
Value FunctionLowering::divide(BinaryOp op, Value left, const Expr &rightExpr,
                               Value right, const Type *type,
                               SourceRange where) {
  mlir::Location at = location(where);
  bool wantsQuotient = op == BinaryOp::Divide;
  auto plain = [&](Value divisor) -> Value {
    if (wantsQuotient)
      return type->isSigned
                 ? builder.createOrFold<arith::DivSIOp>(at, left, divisor)
                 : builder.createOrFold<arith::DivUIOp>(at, left, divisor);
    return type->isSigned
               ? builder.createOrFold<arith::RemSIOp>(at, left, divisor)
               : builder.createOrFold<arith::RemUIOp>(at, left, divisor);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return builder.createOrFold<arith::SelectOp>(at, condition, yes, no);
  };
  Value zero = constant(0, type, where);
  if (rightExpr.constant) {
    uint64_t divisor =
        convertConstant(*rightExpr.constant, rightExpr.type, type);
    bool isMinusOne = type->isSigned && int64_t(divisor) == -1;
    if (!isMinusOne)
      return plain(right);
    return wantsQuotient ? builder.createOrFold<arith::SubIOp>(at, zero, left)
                         : zero;
  }
  Value one = constant(1, type, where);
  Value allOnes = constant(~uint64_t(0), type, where);
  Value isZero = compare(BinaryOp::Equal, right, zero, type, where);
  Value divisor = select(isZero, one, right);
  Value isMinusOne;
  if (type->isSigned) {
    isMinusOne = compare(BinaryOp::Equal, right, allOnes, type, where);
    divisor = select(isMinusOne, one, divisor);
  }
  Value result = plain(divisor);
  if (type->isSigned) {
    Value negated = wantsQuotient
                        ? builder.createOrFold<arith::SubIOp>(at, zero, left)
                        : zero;
    result = select(isMinusOne, negated, result);
  }
  return select(isZero, wantsQuotient ? allOnes : left, result);
}

} // namespace karakal::lang
