// The parts of expressions.

#include "baker-lang/syntax/AstWalk.h"

namespace karakal::lang {

void forEachOperand(const Expr &expr,
                    llvm::function_ref<void(const Expr &)> visit) {
  auto each = [&](const auto &...operands) {
    ((operands ? visit(*operands) : void()), ...);
  };
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    each(call->callee);
    for (const ExprPtr &argument : call->arguments)
      each(argument);
  } else if (auto *index = llvm::dyn_cast<IndexExpr>(&expr)) {
    each(index->base, index->index);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&expr)) {
    each(field->base);
  } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    each(unary->operand);
  } else if (auto *step = llvm::dyn_cast<StepExpr>(&expr)) {
    each(step->operand);
  } else if (auto *cast = llvm::dyn_cast<CastExpr>(&expr)) {
    each(cast->operand);
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
    each(binary->left, binary->right);
  } else if (auto *choice = llvm::dyn_cast<ConditionalExpr>(&expr)) {
    each(choice->condition, choice->whenTrue, choice->whenFalse);
  } else if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr)) {
    each(assign->target, assign->value);
  }
}

} // namespace karakal::lang
