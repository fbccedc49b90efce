// Reports PPFs without inputs whose outputs nobody uses.

#ifndef KARAKAL_BAKER_LANG_CHECKS_SOURCECHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_SOURCECHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Reports PPFs without inputs on whose outputs no control function puts
/// packets. Requires a program without errors.
void checkSources(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_SOURCECHECK_H
