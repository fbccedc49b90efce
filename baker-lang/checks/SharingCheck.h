// Warns of updates of global data that contexts share.

#ifndef KARAKAL_BAKER_LANG_CHECKS_SHARINGCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_SHARINGCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of `g++`, `g += x` and `g = g + x` on global data outside critical
/// sections, in code that several contexts run at once. Requires a program
/// without errors.
void checkSharing(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_SHARINGCHECK_H
