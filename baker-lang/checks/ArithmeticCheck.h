// Warns of arithmetic and comparisons that cannot be meant.

#ifndef KARAKAL_BAKER_LANG_CHECKS_ARITHMETICCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_ARITHMETICCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of comparisons that always have the same result, shifts by the width
/// of the value or more, constants that overflow, and `a & b == c`. Requires a
/// program without errors.
void checkArithmetic(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_ARITHMETICCHECK_H
