// Expressions that refer to global data.

#ifndef KARAKAL_BAKER_LANG_SEMA_GLOBALACCESS_H
#define KARAKAL_BAKER_LANG_SEMA_GLOBALACCESS_H

namespace karakal::lang {

struct Expr;
struct GlobalDecl;

/// The global variable that `expr` is or is a part of, or null.
const GlobalDecl *globalOf(const Expr &expr);

/// True if `expr` is a pointee or a part of one: `*p`, `p->field[i]`.
bool isThroughPointer(const Expr &expr);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_GLOBALACCESS_H
