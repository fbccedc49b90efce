#include "baker-lang/sema/GlobalAccess.h"

#include "baker-lang/tree/Declarations.h"

namespace karakal::lang {

const GlobalDecl *globalOf(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    return llvm::dyn_cast_or_null<GlobalDecl>(name->decl);
  if (auto *index = llvm::dyn_cast<IndexExpr>(&expr))
    return globalOf(*index->base);
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field)
    return nullptr;
  if (field->access == Access::ModuleMember)
    return llvm::dyn_cast_or_null<GlobalDecl>(field->decl);
  return field->access == Access::StructField ? globalOf(*field->base)
                                              : nullptr;
}

bool isThroughPointer(const Expr &expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return unary->op == UnaryOp::Dereference;
  if (auto *index = llvm::dyn_cast<IndexExpr>(&expr))
    return isThroughPointer(*index->base);
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field || field->access != Access::StructField)
    return false;
  return field->isArrow || isThroughPointer(*field->base);
}

} // namespace karakal::lang
