// Warns of declarations that are never used.

#ifndef KARAKAL_BAKER_LANG_CHECKS_UNUSEDCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_UNUSEDCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of unused variables, functions, outputs and metadata fields. Requires
/// a program without errors.
void checkUnused(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_UNUSEDCHECK_H
