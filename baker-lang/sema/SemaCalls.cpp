// Calls of functions.

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

namespace karakal::lang {

const Type *Sema::checkCall(CallExpr &expr, const Type *expected) {
  if (auto *name = llvm::dyn_cast<NameExpr>(expr.callee.get()))
    return checkCallByName(expr, *name, expected);
  if (check(*expr.callee)->isError())
    return checkArgumentsOnly(expr);
  auto *field = llvm::dyn_cast<FieldExpr>(expr.callee.get());
  if (field && field->access == Access::ModuleMember)
    if (auto *callee = llvm::dyn_cast<FunctionDecl>(field->decl)) {
      expr.function = callee;
      return checkFunctionCall(expr);
    }
  error(DiagId::NotCallable, expr.callee->range, "this cannot be called");
  return checkArgumentsOnly(expr);
}

const Type *Sema::checkCallByName(CallExpr &expr, NameExpr &name,
                                  const Type *expected) {
  Decl *decl = lookup(name.name);
  expr.primitive = primitiveNamed(name.name);
  KARAKAL_ASSERT(!decl || expr.primitive == Primitive::None,
                 "a declaration has the name of a primitive");
  if (expr.primitive != Primitive::None)
    return checkPrimitive(expr, expected);
  if (!decl) {
    reportUndeclared(name.name, name.range, *scope);
    return checkArgumentsOnly(expr);
  }
  if (auto *callee = llvm::dyn_cast<FunctionDecl>(decl)) {
    checkVisible(*callee, *callee->scope, name.range);
    name.decl = callee;
    expr.function = callee;
    return checkFunctionCall(expr);
  }
  error(DiagId::NotCallable, name.range,
        std::string("the ") + noun(decl->kind) + " '" + name.name +
            "' cannot be called")
      .note(decl->range, "declared here");
  return checkArgumentsOnly(expr);
}

const Type *Sema::checkArgumentsOnly(CallExpr &expr) {
  for (ExprPtr &argument : expr.arguments) {
    // It may name an endpoint or a reason, if a primitive was meant.
    auto *name = llvm::dyn_cast<NameExpr>(argument.get());
    if (!name || lookup(name->name))
      check(*argument);
  }
  return types.error();
}

bool Sema::checkArgumentCount(CallExpr &expr, size_t least, size_t most,
                              const std::string &name) {
  size_t count = expr.arguments.size();
  if (count >= least && count <= most)
    return true;
  std::string wanted = std::to_string(least);
  if (most != least)
    wanted += " or " + std::to_string(most);
  auto &diagnostic =
      error(DiagId::BadArgumentCount, expr.range,
            "'" + name + "' takes " + wanted +
                (most == 1 ? " argument, not " : " arguments, not ") +
                std::to_string(count));
  if (expr.function)
    diagnostic.note(expr.function->range, "declared here");
  for (ExprPtr &argument : expr.arguments)
    if (argument->kind != ExprKind::Name) // may name an endpoint or a reason
      check(*argument);
  return false;
}

const Type *Sema::checkFunctionCall(CallExpr &expr) {
  FunctionDecl &callee = *expr.function;
  if (callee.role != Role::Function) {
    error(DiagId::NotCallable, expr.callee->range,
          std::string(callee.role == Role::Control ? "the control function '"
                                                   : "the init function '") +
              callee.name + "' cannot be called by the program")
        .note(callee.range, "declared here");
    return checkArgumentsOnly(expr);
  }
  // Only constant expressions are outside functions.
  if (!function) {
    error(DiagId::NotConstant, expr.range, "a constant cannot call functions");
    return types.error();
  }
  size_t count = callee.parameters.size();
  if (!checkArgumentCount(expr, count, count, callee.name))
    return callee.result;
  for (size_t i = 0; i < count; ++i) {
    std::string what = "argument " + std::to_string(i + 1);
    checkConvertible(*expr.arguments[i], callee.parameters[i].decl->type,
                     what.c_str());
  }
  function->calls.push_back({&callee, expr.range, section != nullptr});
  return callee.result;
}

} // namespace karakal::lang
