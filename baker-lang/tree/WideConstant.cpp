// Evaluates with LLVM's numbers of any width what analysis leaves without a
// constant, because a constant has 64 bits:
//
//     u128 all_nodes = (u128)0xff02 << 112 | 1;
//     const u128 ALL_NODES = (u128)0xff02 << 112 | 1;

#include "baker-lang/tree/WideConstant.h"

#include "baker-lang/tree/Declarations.h"
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

std::optional<APInt> wideConstantOf(const ConstDecl &decl) {
  KARAKAL_ASSERT(decl.type, "the constant was resolved");
  if (!decl.type->isScalar())
    return std::nullopt;
  if (!decl.type->isWide() || decl.overrideValue || !decl.value)
    return APInt(64, decl.bits).zextOrTrunc(decl.type->bits());
  if (auto value = wideConstantOf(*decl.value))
    return converted(*value, decl.value->type, decl.type);
  return std::nullopt;
}

/// The constant that `expr` names, or null.
static const ConstDecl *constNamedBy(const Expr &expr) {
  const Decl *decl = nullptr;
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    decl = name->decl;
  else if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
    decl = field->decl;
  return llvm::dyn_cast_if_present<ConstDecl>(decl);
}

std::optional<APInt> wideConstantOf(const Expr &expr) {
  KARAKAL_ASSERT(expr.type, "the expression was checked");
  if (!expr.type->isScalar())
    return std::nullopt;
  if (expr.constant)
    return converted(APInt(64, *expr.constant), expr.type, expr.type);
  if (const ConstDecl *decl = constNamedBy(expr))
    return wideConstantOf(*decl);
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
