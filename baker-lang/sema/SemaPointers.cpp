// Pointers into global data.
//
//   void count(flow * f, u32 bytes) { f->packets++; f->bytes += bytes; }
//   …
//   count(&flows[i], packet_length(ph));
//
// A pointer leads to a scalar or struct of global data and has that type: there
// is no cast to another one, so no location is ever seen as two types. It is
// given its place where it is declared and keeps it, so that each access can
// be traced to the one variable that it means (section 2.3 of the paper).

#include "baker-lang/sema/Sema.h"

namespace karakal::lang {

bool isBehindPointer(const Expr &expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return unary->op == UnaryOp::Dereference;
  if (auto *index = llvm::dyn_cast<IndexExpr>(&expr))
    return isBehindPointer(*index->base);
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field || field->access != Access::StructField)
    return false;
  return field->isArrow || isBehindPointer(*field->base);
}

const Type *Sema::checkAddress(UnaryExpr &expr) {
  const Type *type = check(*expr.operand);
  if (type->isError())
    return type;
  const GlobalDecl *global = globalOf(*expr.operand);
  if (!global && !isBehindPointer(*expr.operand)) {
    error(DiagId::NoPointers, expr.range,
          "a pointer leads to global data; this has no address");
    return types.error();
  }
  if (global && global->isConst) {
    error(DiagId::ReadOnly, expr.range,
          "a pointer could write to the constant '" + global->name + "'")
        .note(global->range, "declared here");
    return types.error();
  }
  if (type->isScalar() || type->is(TypeKind::Struct))
    return types.pointer(type);
  auto &diagnostic = error(DiagId::NoPointers, expr.range,
                           "there are no pointers to '" + type->str() + "'");
  if (type->is(TypeKind::Array))
    diagnostic.note("a pointer can lead to one of its elements");
  return types.error();
}

const Type *Sema::checkDereference(UnaryExpr &expr) {
  const Type *type = check(*expr.operand);
  if (type->isError())
    return type;
  if (type->isPointer())
    return type->element;
  error(DiagId::NoPointers, expr.range,
        "'*' follows a pointer, this is of type '" + type->str() + "'");
  return types.error();
}

} // namespace karakal::lang
