// Initializers of global and local variables.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/TypeLayout.h"
#include "baker-lang/tree/WideConstant.h"
#include "support/Error.h"

namespace karakal::lang {

bool Sema::checkShape(const Initializer &initializer, const Type *type) {
  if (type->isError())
    return false;
  bool isAggregate = type->isAggregate();
  bool hasBraces = !initializer.expr;
  if (isAggregate != hasBraces) {
    if (initializer.expr && initializer.expr->kind == ExprKind::Error)
      return false;
    error(DiagId::BadInitializer, initializer.range,
          isAggregate ? "'" + type->str() + "' needs its values in braces"
                      : "'" + type->str() + "' takes one value, no braces");
    return false;
  }
  if (!isAggregate || initializer.list.size() <= partCountOf(type))
    return true;
  error(DiagId::BadInitializer, initializer.range,
        "'" + type->str() + "' takes at most " +
            std::to_string(partCountOf(type)) + " values, not " +
            std::to_string(initializer.list.size()));
  return false;
}

/// Appends the two parts of a constant that a number of `type` begins with.
static void appendWide(llvm::APInt value, const Type *from, const Type *type,
                       std::vector<uint64_t> &values) {
  value = from->isSigned ? value.sextOrTrunc(type->width)
                         : value.zextOrTrunc(type->width);
  values.push_back(value.extractBitsAsZExtValue(type->width - 64, 64));
  values.push_back(value.extractBitsAsZExtValue(64, 0));
}

bool Sema::flatten(const Initializer &initializer, const Type *type,
                   std::vector<uint64_t> &values) {
  if (!checkShape(initializer, type))
    return false;
  if (!type->isAggregate()) {
    Expr &expr = *initializer.expr;
    if (check(expr)->isError())
      return false;
    auto wide = type->isWide() ? wideConstantOf(expr) : std::nullopt;
    auto value =
        wide ? std::optional<uint64_t>(0)
             : constantOf(expr, *scope, "the initial value of a global");
    if (!value)
      return false;
    checkConvertible(expr, type, "the initial value");
    if (wide)
      appendWide(*wide, expr.type, type, values);
    else
      values.push_back(convertConstant(*value, expr.type, type));
    return true;
  }
  size_t countBefore = values.size();
  bool isGood = true;
  for (uint64_t i = 0; i < partCountOf(type); ++i) {
    const Type *part = partTypeOf(type, i);
    if (i < initializer.list.size())
      isGood &= flatten(initializer.list[i], part, values);
    else
      values.resize(values.size() + storedPartCountOf(part));
  }
  KARAKAL_ASSERT(!isGood ||
                     values.size() - countBefore == storedPartCountOf(type),
                 "an initializer has the values of each scalar");
  return isGood;
}

void Sema::checkLocalValue(Initializer &initializer, const Type *type) {
  if (type->isError()) {
    if (initializer.expr)
      check(*initializer.expr, type);
    for (Initializer &part : initializer.list)
      checkLocalValue(part, type);
    return;
  }
  if (!checkShape(initializer, type))
    return;
  if (initializer.expr)
    return checkConvertible(*initializer.expr, type, "the initial value");
  for (size_t i = 0; i < initializer.list.size(); ++i)
    checkLocalValue(initializer.list[i], partTypeOf(type, i));
}

} // namespace karakal::lang
