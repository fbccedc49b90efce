#include "baker-lang/tree/TableDecl.h"

namespace karakal::lang {

bool isTableEntry(const Type *type) {
  return type->isPointer() && type->element->is(TypeKind::Struct) &&
         type->element->structDecl->table != nullptr;
}

} // namespace karakal::lang
