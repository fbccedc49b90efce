// Warns of statements that cannot be meant.

#ifndef KARAKAL_BAKER_LANG_CHECKS_STATEMENTCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_STATEMENTCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of `if (x);`, cases that continue in the next one without a mark,
/// `x = x`, and calls whose only effect is a value that is not used. Reports
/// marks `@fallthrough` that do not stand at the end of a case. Requires a
/// program without errors.
void checkStatements(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_STATEMENTCHECK_H
