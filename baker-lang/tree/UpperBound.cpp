// Upper bounds of values.
//
// A bound follows from the expression alone, not from the control flow before
// it: `(address >> shift) & 15` and a `u4` field are at most 15.

#include "baker-lang/tree/UpperBound.h"

#include "baker-lang/tree/Expressions.h"
#include "support/Error.h"

#include <algorithm>

namespace karakal::lang {

using Bound = std::optional<uint64_t>;

/// The largest value of `type`, or none if the type has negative values.
static Bound typeBound(const Type *type) {
  if (type->is(TypeKind::Bool))
    return 1;
  if (!type->isInteger() || type->isSigned)
    return std::nullopt;
  return type->width >= 64 ? UINT64_MAX : (uint64_t(1) << type->width) - 1;
}

/// `bound` if it fits `type`, so that the value did not wrap. Otherwise the
/// bound of the type.
static Bound boundUnlessWrapped(uint64_t bound, const Type *type) {
  unsigned bits = type->bits() - (type->isSigned ? 1 : 0);
  bool fits = bits >= 64 || bound < (uint64_t(1) << bits);
  return fits ? Bound(bound) : typeBound(type);
}

/// The smallest number of the form 2^n - 1 that is at least `value`.
static uint64_t roundedUpToOnes(uint64_t value) {
  for (unsigned shift = 1; shift < 64; shift *= 2)
    value |= value >> shift;
  return value;
}

static Bound binaryBound(const BinaryExpr &expr) {
  Bound left = upperBound(*expr.left), right = upperBound(*expr.right);
  const auto &amount = expr.right->constant;
  bool hasAmount = right && amount && *amount < 64;
  switch (expr.op) {
  case BinaryOp::And:
    if (left && right)
      return std::min(*left, *right);
    return left ? left : right ? right : typeBound(expr.type);
  case BinaryOp::Or:
  case BinaryOp::Xor:
    if (left && right)
      return roundedUpToOnes(*left | *right);
    break;
  case BinaryOp::Add:
    if (left && right && *left <= UINT64_MAX - *right)
      return boundUnlessWrapped(*left + *right, expr.type);
    break;
  case BinaryOp::Multiply:
    if (left && right && (*left == 0 || *right <= UINT64_MAX / *left))
      return boundUnlessWrapped(*left * *right, expr.type);
    break;
  case BinaryOp::Divide:
    if (left && right && amount && *amount != 0)
      return *left / *amount;
    break;
  case BinaryOp::Remainder:
    if (left && right && amount && *amount != 0)
      return std::min(*left, *amount - 1);
    break;
  case BinaryOp::ShiftRight:
    if (left)
      return hasAmount ? *left >> *amount : *left;
    break;
  case BinaryOp::ShiftLeft:
    if (left && hasAmount && *left <= UINT64_MAX >> *amount)
      return boundUnlessWrapped(*left << *amount, expr.type);
    break;
  case BinaryOp::Subtract:
    break; // may wrap
  default:
    return 1; // comparison or logical
  }
  return typeBound(expr.type);
}

static Bound boundOf(const Expr &expr) {
  if (!expr.type || !expr.type->isScalar() || expr.type->isWide())
    return std::nullopt;
  if (expr.constant) {
    bool isNegative = expr.type->isSigned && int64_t(*expr.constant) < 0;
    return isNegative ? Bound() : Bound(*expr.constant);
  }
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    return binaryBound(*binary);
  if (auto *cast = llvm::dyn_cast<CastExpr>(&expr))
    if (Bound inner = upperBound(*cast->operand))
      return boundUnlessWrapped(*inner, expr.type);
  if (auto *conditional = llvm::dyn_cast<ConditionalExpr>(&expr)) {
    Bound a = upperBound(*conditional->whenTrue);
    Bound b = upperBound(*conditional->whenFalse);
    if (a && b)
      return boundUnlessWrapped(std::max(*a, *b), expr.type);
  }
  return typeBound(expr.type);
}

Bound upperBound(const Expr &expr) {
  Bound bound = boundOf(expr);
  KARAKAL_ASSERT(!bound || expr.type->bits() >= 64 ||
                     *bound < uint64_t(1) << expr.type->bits(),
                 "a bound beyond the values of the type");
  return bound;
}

} // namespace karakal::lang
