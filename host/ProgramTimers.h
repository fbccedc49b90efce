// The timers of a program.

#ifndef KARAKAL_HOST_PROGRAMTIMERS_H
#define KARAKAL_HOST_PROGRAMTIMERS_H

#include "host/HostProgram.h"
#include "traces/Timers.h"

namespace karakal::host {

/// The control functions that are timers.
inline std::vector<traces::TimerFunction> timersOf(const HostProgram &program) {
  std::vector<traces::TimerFunction> timers;
  for (size_t i = 0; i < program.controls.size(); ++i) {
    const HostControl &control = program.controls[i];
    if (control.intervalUs != 0)
      timers.push_back({i, control.signature.name, control.intervalUs});
  }
  return timers;
}

} // namespace karakal::host

#endif // KARAKAL_HOST_PROGRAMTIMERS_H
