// The values of constant expressions of any width.

#ifndef KARAKAL_BAKER_LANG_TREE_WIDECONSTANT_H
#define KARAKAL_BAKER_LANG_TREE_WIDECONSTANT_H

#include "llvm/ADT/APInt.h"

#include <optional>

namespace karakal::lang {

struct ConstDecl;
struct Expr;

/// The value of `expr`, which analysis has checked, with the bits of its type:
/// its constant, or what casts, `+ - & | ^ ~ << >>` make of constants, also if
/// that needs more than 64 bits.
std::optional<llvm::APInt> wideConstantOf(const Expr &expr);

/// The value of a constant that was resolved without errors.
std::optional<llvm::APInt> wideConstantOf(const ConstDecl &decl);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_WIDECONSTANT_H
