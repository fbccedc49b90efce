#include "baker-lang/checks/SameValue.h"

#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Declarations.h"
#include "support/Error.h"

namespace karakal::lang {

/// True if the expressions have one operator or name, whatever their operands.
static bool hasSameHead(const Expr &left, const Expr &right) {
  switch (left.kind) {
  case ExprKind::Integer:
    return llvm::cast<IntegerExpr>(left).value ==
           llvm::cast<IntegerExpr>(right).value;
  case ExprKind::Bool:
    return llvm::cast<BoolExpr>(left).value ==
           llvm::cast<BoolExpr>(right).value;
  case ExprKind::Name:
    return llvm::cast<NameExpr>(left).decl == llvm::cast<NameExpr>(right).decl;
  case ExprKind::Field: {
    auto &a = llvm::cast<FieldExpr>(left), &b = llvm::cast<FieldExpr>(right);
    return a.access == b.access && a.decl == b.decl &&
           a.field.name == b.field.name;
  }
  case ExprKind::Unary:
    return llvm::cast<UnaryExpr>(left).op == llvm::cast<UnaryExpr>(right).op;
  case ExprKind::Cast:
    return left.type == right.type;
  case ExprKind::Binary:
    return llvm::cast<BinaryExpr>(left).op == llvm::cast<BinaryExpr>(right).op;
  case ExprKind::Index:
  case ExprKind::Conditional:
    return true;
  default:
    return false;
  }
}

bool isSameValue(const Expr &left, const Expr &right) {
  // The name of a function has no type, and is no value.
  if (!left.type || !right.type || left.kind != right.kind ||
      !hasSameHead(left, right))
    return false;
  auto *field = llvm::dyn_cast<FieldExpr>(&left);
  if (field && field->access == Access::ModuleMember)
    return true;
  std::vector<const Expr *> a, b;
  forEachOperand(left, [&](const Expr &operand) { a.push_back(&operand); });
  forEachOperand(right, [&](const Expr &operand) { b.push_back(&operand); });
  KARAKAL_ASSERT(a.size() == b.size(), "one operator, two operand counts");
  for (size_t i = 0; i < a.size(); ++i)
    if (!isSameValue(*a[i], *b[i]))
      return false;
  return true;
}

} // namespace karakal::lang
