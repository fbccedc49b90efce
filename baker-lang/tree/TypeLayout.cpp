#include "baker-lang/tree/TypeLayout.h"

#include "baker-lang/tree/Declarations.h"
#include "support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace karakal::lang {

uint64_t partCountOf(const Type *aggregate) {
  KARAKAL_ASSERT(aggregate->isAggregate(),
                 "'" + aggregate->str() + "' has no parts");
  return aggregate->is(TypeKind::Array) ? aggregate->elementCount
                                        : aggregate->structDecl->fields.size();
}

const Type *partTypeOf(const Type *aggregate, uint64_t part) {
  KARAKAL_ASSERT(part < partCountOf(aggregate),
                 "'" + aggregate->str() + "' has fewer parts");
  return aggregate->is(TypeKind::Array)
             ? aggregate->element
             : aggregate->structDecl->fields[part].type;
}

/// Adds up `scalarSize` over the scalars of `type`. Fields of a struct that is
/// being resolved may have no type yet; they count as nothing.
static uint64_t
sumOverScalars(const Type *type,
               llvm::function_ref<uint64_t(const Type &)> scalarSize) {
  if (type->is(TypeKind::Array))
    return type->elementCount * sumOverScalars(type->element, scalarSize);
  if (!type->is(TypeKind::Struct))
    return scalarSize(*type);
  uint64_t sum = 0;
  for (const StructField &field : type->structDecl->fields)
    sum += field.type ? sumOverScalars(field.type, scalarSize) : 0;
  return sum;
}

uint64_t scalarCountOf(const Type *type) {
  return sumOverScalars(type, [](const Type &) { return uint64_t(1); });
}

uint64_t storedPartCountOf(const Type *type) {
  return sumOverScalars(type, [](const Type &scalar) {
    return uint64_t(scalar.isWide() ? 2 : 1);
  });
}

uint64_t wordCountOf(const Type *type) {
  return sumOverScalars(type, [](const Type &scalar) {
    return uint64_t(scalar.is(TypeKind::Queue)
                        ? queueHeadWords + queueSlotWords * scalar.elementCount
                    : !scalar.isInteger()    ? 1
                    : scalar.width > 64 + 32 ? 4
                    : scalar.width > 64      ? 3
                    : scalar.width > 32      ? 2
                                             : 1);
  });
}

} // namespace karakal::lang
