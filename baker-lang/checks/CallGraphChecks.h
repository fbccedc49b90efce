// Checks of the program's call graph.

#ifndef KARAKAL_BAKER_LANG_CHECKS_CALLGRAPHCHECKS_H
#define KARAKAL_BAKER_LANG_CHECKS_CALLGRAPHCHECKS_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Reports functions that call themselves, directly or through others.
void checkRecursion(const Program &program, Diagnostics &diagnostics);

/// Reports calls inside a critical section of functions that enter a critical
/// section themselves, directly or through others.
void checkNestedSections(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_CALLGRAPHCHECKS_H
