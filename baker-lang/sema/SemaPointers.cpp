// Pointers into global data.
//
//   void count(flow * f, u32 bytes) { f->packets++; f->bytes += bytes; }
//   …
//   count(&flows[i], packet_length(ph));
//
// A pointer points to a scalar or struct in global data. It cannot be cast, so
// no location has two types. It is initialized where it is declared and never
// changes, so that each access can be traced to one variable (section 2.3 of
// the paper).

#include "baker-lang/sema/GlobalAccess.h"
#include "baker-lang/sema/Sema.h"

namespace karakal::lang {

const Type *Sema::checkAddress(UnaryExpr &expr) {
  const Type *type = check(*expr.operand);
  if (type->isError())
    return type;
  const GlobalDecl *global = globalOf(*expr.operand);
  if (!global && !isThroughPointer(*expr.operand)) {
    error(DiagId::UnsupportedPointer, expr.range,
          "a pointer points to global data; this has no address");
    return types.error();
  }
  if (global && global->isConst) {
    error(DiagId::ReadOnly, expr.range,
          "a pointer could write to the constant '" + global->name + "'")
        .note(global->range, "declared here");
    return types.error();
  }
  if (!checkMutable(*expr.operand))
    return types.error();
  if (type->isScalar() || type->is(TypeKind::Struct))
    return types.pointer(type);
  auto &diagnostic = error(DiagId::UnsupportedPointer, expr.range,
                           "there are no pointers to '" + type->str() + "'");
  if (type->is(TypeKind::Array))
    diagnostic.note("a pointer can point to one of its elements");
  return types.error();
}

const Type *Sema::checkDereference(UnaryExpr &expr) {
  const Type *type = check(*expr.operand);
  if (type->isError())
    return type;
  if (type->isPointer())
    return type->element;
  error(DiagId::UnsupportedPointer, expr.range,
        "'*' needs a pointer, this is of type '" + type->str() + "'");
  return types.error();
}

} // namespace karakal::lang
