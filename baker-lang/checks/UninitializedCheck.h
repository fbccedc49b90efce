// Warns of variables that are read before they are assigned.

#ifndef KARAKAL_BAKER_LANG_CHECKS_UNINITIALIZEDCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_UNINITIALIZEDCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of local variables that are read where no path has assigned them.
/// Requires a program without errors.
void checkUninitialized(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_UNINITIALIZEDCHECK_H
