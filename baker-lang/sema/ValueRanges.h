// How large a value can get.

#ifndef KARAKAL_BAKER_LANG_SEMA_VALUERANGES_H
#define KARAKAL_BAKER_LANG_SEMA_VALUERANGES_H

#include <cstdint>
#include <optional>

namespace karakal::lang {

struct Expr;

/// A number that the value of `expr` never exceeds, if it is also certain that
/// the value is never negative. Saves clamps of indices and tests of shifts.
std::optional<uint64_t> upperBound(const Expr &expr);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_VALUERANGES_H
