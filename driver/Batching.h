// Bursts, sub-batches and cuts for x86, chosen by the model of rates.
//
// `--burst=auto`, `--sub-batch=auto` and `--cuts=auto` leave the choice to the
// model (codegen-x86/model/RateModel.h). The program first runs over the trace
// with observers, and a file tells the figures of the machine.
// `--explain=batching` prints the choice, the reason and the model's rates on
// the grid; `--sweep` measures the grid.

#ifndef KARAKAL_DRIVER_BATCHING_H
#define KARAKAL_DRIVER_BATCHING_H

#include "codegen-x86/model/RateModel.h"
#include "driver/RunOnHost.h"

namespace karakal::driver {

/// What the model found for a program and its traffic.
struct BatchingChoice {
  x86::Machine machine;
  x86::ProgramWork work;
  x86::Batching chosen;
  /// The globals at whose loads packets wait; empty: the large ones.
  std::vector<std::string> cuts;
  /// For each global that misses, what a cut at its loads costs and brings.
  std::vector<std::string> reasons;
};

/// Observes `traffic` and chooses. Errors: those of a run, of the machine's
/// file (codegen-x86/model/Machine.h), and E-driver-043 if a cut names no
/// global.
Result<BatchingChoice> chooseForTraffic(mlir::ModuleOp baker,
                                        const HostTraffic &traffic,
                                        const HostSpeed &speed,
                                        const BatchingRequest &request);

/// Explains the choice as `--explain=batching`.
void explainChoice(mlir::ModuleOp baker, const BatchingChoice &choice);

/// Measures the grid and writes JSON with measured and modelled rates to
/// `path`.
Status sweepGrid(mlir::ModuleOp baker, const HostTraffic &traffic,
                 const HostSpeed &speed, const BatchingChoice &choice,
                 const std::string &path);

/// E-driver-043 if one of `cuts` names no global of the program.
Status checkCuts(mlir::ModuleOp baker, const std::vector<std::string> &cuts);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_BATCHING_H
