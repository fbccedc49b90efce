// Compares expressions.

#ifndef KARAKAL_BAKER_LANG_CHECKS_SAMEVALUE_H
#define KARAKAL_BAKER_LANG_CHECKS_SAMEVALUE_H

namespace karakal::lang {

struct Expr;

/// True if both expressions are written alike and name the same things, so that
/// they have the same value at one point of a program. False for calls and
/// assignments, which can give another value each time.
bool isSameValue(const Expr &left, const Expr &right);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_SAMEVALUE_H
