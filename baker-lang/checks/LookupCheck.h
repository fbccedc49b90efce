// Warns of look-ups whose miss is forgotten.

#ifndef KARAKAL_BAKER_LANG_CHECKS_LOOKUPCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_LOOKUPCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of fields that are read through the pointer of a `find`, where nothing
/// tests the pointer and the table has no `default`. Requires a program without
/// errors.
void checkLookups(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_LOOKUPCHECK_H
