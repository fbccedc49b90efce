// Passes, and what to say when one is wrong.
//
// A pass fails in one of two ways. It refuses the program, which is the user's
// to mend: it has printed an error, and the run ends with status 1. Or it is
// wrong itself: it stops at an assertion, crashes, fails without a word or
// leaves a module that does not verify. Then the run ends with status 3 and a
// report that can be sent: which pass, the module as a file, the command that
// shows the failure again.

#ifndef KARAKAL_DRIVER_PIPELINE_RUNPASSES_H
#define KARAKAL_DRIVER_PIPELINE_RUNPASSES_H

#include "ir/interp/PassCheck.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "support/Error.h"
#include <optional>

namespace karakal::driver {

/// Whether each run of passes prints how long they took (`--time-passes`).
void setPassTiming(bool isWanted);

/// Runs `passes` over `module` and verifies it after each. Diagnostics go to
/// the context's handler. E-driver-002 if a pass refused the program; does not
/// return if a pass is wrong. With `check` the module is run on packets before
/// and after each pass, and must do the same.
Status runPasses(mlir::ModuleOp module,
                 llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 const std::optional<ir::PassCheckOptions> &check = {});

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_RUNPASSES_H
