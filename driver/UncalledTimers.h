// Timers of a program where nothing calls them.

#ifndef KARAKAL_DRIVER_UNCALLEDTIMERS_H
#define KARAKAL_DRIVER_UNCALLEDTIMERS_H

#include "mlir/IR/BuiltinOps.h"

namespace karakal::driver {

/// Who runs a program without calling its timers.
enum class TimerlessRunner { Switch, Executable };

/// Warns of each timer, and says what calls it instead.
void warnOfTimers(mlir::ModuleOp program, TimerlessRunner runner);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_UNCALLEDTIMERS_H
