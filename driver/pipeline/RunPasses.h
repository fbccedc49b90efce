// Runs passes and reports their failures.
//
// A pass fails in one of two ways. If it rejects the program, it has printed an
// error that the user can fix, and bakerc exits with status 1. If the pass
// itself is wrong, it fails an assertion, crashes, fails without an error or
// leaves a module that does not verify. Then bakerc exits with status 3 and
// prints a report for the maintainers: the pass, the module as a file, and the
// command that reproduces the failure.

#ifndef KARAKAL_DRIVER_PIPELINE_RUNPASSES_H
#define KARAKAL_DRIVER_PIPELINE_RUNPASSES_H

#include "ir/interp/PassCheck.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "support/Error.h"
#include <chrono>
#include <optional>

namespace karakal::driver {

/// Sets whether each run prints how long its passes took, and each stage its
/// time (`--time-passes`).
void setPassTiming(bool isWanted);

/// Verifies the module after each pass from now on, which tells the pass at
/// fault even if a later one stops on what it left. A build with assertions
/// always does. Otherwise the module is verified after all passes, because it
/// takes a tenth of the time; if it is wrong they run again, to find the pass.
void verifyEachPass();

/// Prints the seconds from its making to its end: those of a stage, such as
/// LLVM's part, with all that it calls.
class StageTime {
public:
  explicit StageTime(const char *stage)
      : stage(stage), start(std::chrono::steady_clock::now()) {}
  ~StageTime();
  StageTime(const StageTime &) = delete;
  StageTime &operator=(const StageTime &) = delete;

private:
  const char *stage;
  std::chrono::steady_clock::time_point start;
};

/// Sets the folder for the module after each pass (`--dump-passes`); empty: it
/// is not written. The folder must exist.
void setPassDump(const std::string &folder);
bool isDumpingPasses();
/// The name of the passes over the whole program.
inline constexpr const char *wholeProgram = "program";
/// Names the program that the next passes run over, such as an aggregate. Its
/// files are NAME-NN-PASS.mlir, with source locations. Those of an earlier
/// attempt are removed; a new attempt at the whole program removes all. With an
/// empty name nothing is written.
void beginPassDump(const std::string &name);
/// Errors: that of writeFile, if a file could not be written.
Status endPassDump();

/// Runs passes over `module` and verifies it. Diagnostics go to the context's
/// handler. E-driver-002 if a pass rejected the program. Does not return if a
/// pass is wrong. With `check`, runs the module on packets before and after
/// each pass; the results must be equal. `before` is the same module, if the
/// caller keeps one: the report of a wrong pass needs it, and it is copied
/// else.
Status runPasses(mlir::ModuleOp module,
                 llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 const std::optional<ir::PassCheckOptions> &check = {},
                 mlir::ModuleOp before = {});

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_RUNPASSES_H
