// The timers of a program.

#ifndef KARAKAL_HOST_PROGRAMTIMERS_H
#define KARAKAL_HOST_PROGRAMTIMERS_H

#include "host/HostProgram.h"
#include "traces/Timers.h"

namespace karakal::host {

/// The control functions that are timers: the wrapper of such a function has
/// the attribute `ir::intervalAttrName`. Requires the program's module, which
/// compiling takes away.
std::vector<traces::TimerFunction> timersOf(const HostProgram &program);

} // namespace karakal::host

#endif // KARAKAL_HOST_PROGRAMTIMERS_H
