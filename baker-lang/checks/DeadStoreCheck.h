// Warns of values that are overwritten before they are read.

#ifndef KARAKAL_BAKER_LANG_CHECKS_DEADSTORECHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_DEADSTORECHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of assignments to local variables whose value no path reads. Variables
/// that are never read at all are left to checkUnused. Requires a program
/// without errors.
void checkDeadStores(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_DEADSTORECHECK_H
