// Initializers of global and local variables.

#include "baker-lang/sema/Sema.h"

#include "baker-lang/tree/TypeLayout.h"
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

bool Sema::flatten(const Initializer &initializer, const Type *type,
                   std::vector<uint64_t> &values) {
  if (!checkShape(initializer, type))
    return false;
  if (!type->isAggregate()) {
    auto value =
        constantOf(*initializer.expr, *scope, "the initial value of a global");
    if (!value)
      return false;
    checkConvertible(*initializer.expr, type, "the initial value");
    values.push_back(convertConstant(*value, initializer.expr->type, type));
    return true;
  }
  size_t countBefore = values.size();
  bool isGood = true;
  for (uint64_t i = 0; i < partCountOf(type); ++i) {
    const Type *part = partTypeOf(type, i);
    if (i < initializer.list.size())
      isGood &= flatten(initializer.list[i], part, values);
    else
      values.resize(values.size() + scalarCountOf(part));
  }
  KARAKAL_ASSERT(!isGood || values.size() - countBefore == scalarCountOf(type),
                 "an initializer has one value for each scalar");
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
