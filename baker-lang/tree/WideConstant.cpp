// Evaluates with LLVM's numbers of any width what analysis leaves without a
// constant, because a constant has 64 bits:
//
//     u128 all_nodes = (u128)0xff02 << 112 | 1;

#include "baker-lang/tree/WideConstant.h"

#include "baker-lang/tree/Expressions.h"
#include "baker-lang/tree/Types.h"
#include "support/Error.h"

using llvm::APInt;

namespace karakal::lang {

static APInt converted(const APInt &value, const Type *from, const Type *to) {
  if (to->is(TypeKind::Bool))
    return APInt(to->bits(), !value.isZero());
  return from->isSigned ? value.sextOrTrunc(to->bits())
                        : value.zextOrTrunc(to->bits());
}

static std::optional<APInt> evaluate(const UnaryExpr &expr) {
  auto operand = wideConstantOf(*expr.operand);
  if (!operand)
    return std::nullopt;
  APInt value = converted(*operand, expr.operand->type, expr.type);
  switch (expr.op) {
  case UnaryOp::Plus:
    return value;
  case UnaryOp::Minus:
    return -value;
  case UnaryOp::Complement:
    return ~value;
  default:
    return std::nullopt;
  }
}

static std::optional<APInt> evaluate(const BinaryExpr &expr) {
  auto left = wideConstantOf(*expr.left), right = wideConstantOf(*expr.right);
  if (!left || !right || !expr.operandType)
    return std::nullopt;
  const Type *type = expr.operandType;
  APInt a = converted(*left, expr.left->type, type);
  APInt b = converted(*right, expr.right->type, type);
  // An amount is limited to the width, so that larger ones give zero.
  auto amount = unsigned(right->getLimitedValue(type->bits()));
  switch (expr.op) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Subtract:
    return a - b;
  case BinaryOp::And:
    return a & b;
  case BinaryOp::Or:
    return a | b;
  case BinaryOp::Xor:
    return a ^ b;
  case BinaryOp::ShiftLeft:
    return a.shl(amount);
  case BinaryOp::ShiftRight:
    return type->isSigned ? a.ashr(amount) : a.lshr(amount);
  default:
    return std::nullopt;
  }
}

std::optional<APInt> wideConstantOf(const Expr &expr) {
  KARAKAL_ASSERT(expr.type, "the expression was checked");
  if (!expr.type->isScalar())
    return std::nullopt;
  if (expr.constant)
    return converted(APInt(64, *expr.constant), expr.type, expr.type);
  if (auto *cast = llvm::dyn_cast<CastExpr>(&expr)) {
    auto operand = wideConstantOf(*cast->operand);
    if (!operand)
      return std::nullopt;
    return converted(*operand, cast->operand->type, expr.type);
  }
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return evaluate(*unary);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    return evaluate(*binary);
  return std::nullopt;
}

} // namespace karakal::lang
