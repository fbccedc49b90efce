// The XScale core's code, begun on a thread before the plan is final.
//
// LLVM takes about as long for the core's program as for those of the engines.
// Once the rare PPFs are chosen, the plans that are still tried differ in the
// engines' part, as a rule in nothing that the core's program contains:
//
//   rare PPFs chosen → larger sizes → fewer caches → … → the core's code?
//                    ↘ the core's code ..................↗ the same IR
//
// So the core's program of a plan that is likely to be the last is compiled
// beside the engines'. The code is used if the last plan is the same, or gives
// the same LLVM IR, byte for byte as bitcode; otherwise it is dropped and the
// last plan's is compiled. The result is the same with any number of threads.

#ifndef KARAKAL_DRIVER_EARLYXSCALE_H
#define KARAKAL_DRIVER_EARLYXSCALE_H

#include "driver/cores/XScale.h"
#include "driver/pipeline/CoreProgram.h"
#include "driver/pipeline/Options.h"
#include "mlir/IR/Diagnostics.h"
#include <future>
#include <list>
#include <string>
#include <vector>

namespace karakal::driver {

class EarlyXScale {
public:
  /// `cacheFolder` is that of compileForXScale.
  EarlyXScale(const Options &options, std::string cacheFolder)
      : options(options), cacheFolder(std::move(cacheFolder)) {}

  /// Begins with the code for this plan, unless that has begun, or the command
  /// line allows one thread only or asks for the module after each pass. Prints
  /// nothing.
  void begin(mlir::ModuleOp planned);

  /// Returns the code for this plan. Errors: those of the passes and of
  /// compileForXScale.
  Result<XScaleCode> finish(mlir::ModuleOp planned);

private:
  /// What the code is made of.
  struct Input {
    CoreProgram core;
    std::string bitcode;
    std::vector<std::string> entries;
    std::optional<target::HashKey> hashMultiplier;
  };
  /// Code that was begun for a plan.
  struct Begun {
    mlir::OwningOpRef<mlir::ModuleOp> plan;
    std::vector<mlir::Diagnostic> said; ///< by its passes
    std::string bitcode;
    std::vector<std::string> entries;
    /// Waits for its thread when the last one is destroyed.
    std::shared_future<Result<XScaleCode>> code;
  };
  Result<Input> lower(mlir::ModuleOp planned) const;
  Result<XScaleCode> compile(Input &input) const;
  std::shared_future<Result<XScaleCode>> start(Input input) const;
  Begun *findPlan(mlir::ModuleOp planned);
  Begun *findInput(const Input &input);

  const Options &options;
  std::string cacheFolder;
  std::list<Begun> begun;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_EARLYXSCALE_H
