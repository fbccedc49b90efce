// The parts of expressions.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_ASTWALK_H
#define KARAKAL_BAKER_LANG_SYNTAX_ASTWALK_H

#include "baker-lang/syntax/Ast.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace karakal::lang {

/// The expressions that `expr` is made of, in the order of the text.
void forEachOperand(const Expr &expr,
                    llvm::function_ref<void(const Expr &)> visit);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_ASTWALK_H
