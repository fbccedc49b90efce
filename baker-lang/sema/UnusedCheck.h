// What a program declares and never uses.

#ifndef KARAKAL_BAKER_LANG_SEMA_UNUSEDCHECK_H
#define KARAKAL_BAKER_LANG_SEMA_UNUSEDCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of variables, functions, outputs and metadata that are there for
/// nothing. Requires a program without errors.
void checkUsage(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_UNUSEDCHECK_H
