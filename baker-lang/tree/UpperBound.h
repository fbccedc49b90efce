// Upper bounds of values.

#ifndef KARAKAL_BAKER_LANG_TREE_UPPERBOUND_H
#define KARAKAL_BAKER_LANG_TREE_UPPERBOUND_H

#include <cstdint>
#include <optional>

namespace karakal::lang {

struct Expr;

/// A number that the value of `expr` never exceeds. None if there is none, or
/// if the value may be negative. It saves limits of indices and guards of
/// shifts.
std::optional<uint64_t> upperBound(const Expr &expr);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_UPPERBOUND_H
