// Microcode of the aggregates.
//
// Each aggregate of a planned program is a program of its own: its PPFs are
// cut out, lowered, linked with the packet primitives, optimized and turned
// into words.

#ifndef KARAKAL_DRIVER_CORES_ENGINES_H
#define KARAKAL_DRIVER_CORES_ENGINES_H

#include "aggregation/model/ThroughputModel.h"
#include "driver/pipeline/CoreProgram.h"
#include "driver/pipeline/Options.h"
#include "ir/dialect/Attributes.h"
#include "target-ixp/image/Microcode.h"
#include <vector>

namespace karakal::driver {

/// One aggregate: its name, its engines, its code.
struct AggregateCode {
  /// The code with next-neighbour rings for its input, for what it puts to the
  /// next aggregate, or for both (driver/cores/NextNeighbourRings.h).
  struct Variant {
    bool takes = false, puts = false;
    target::Microcode code;
  };

  ir::AggregatePlan plan;
  target::Microcode code;
  std::vector<Variant> variants;
  /// Contexts of each engine that run it, 0 = all.
  uint32_t contexts = 0;
};

/// The microcode of one aggregate.
Result<target::Microcode> compileEngine(mlir::ModuleOp planned,
                                        const std::string &aggregate,
                                        const Options &options);

/// LLVM IR of one aggregate, linked and optimized.
Result<CoreProgram> makeEngineIr(mlir::ModuleOp planned,
                                 const std::string &aggregate,
                                 const Options &options);

/// A program with its plan and its code.
struct PlannedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::vector<AggregateCode> engines;
  /// Words of code for one of the estimate that the plan was made with.
  double wordsScale = 1;
};

/// Runs the passes that plan over a copy of the program.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
planProgram(mlir::ModuleOp program, const PipelineOptions &options);

/// Plans and compiles; an aggregate that turns out not to fit its engine makes
/// aggregation run again with larger sizes. Software caches stay only if the
/// model predicts that the code with them is no slower than the code without.
/// Errors: those of the passes and of the code generator.
Result<PlannedProgram> planAndCompile(mlir::ModuleOp program,
                                      const Options &options);

/// The stages of the generated code, for the throughput model.
std::vector<agg::Stage> stagesOf(mlir::ModuleOp planned,
                                 const std::vector<AggregateCode> &engines);

/// What the model predicts of the code.
agg::Prediction predictionOf(const PlannedProgram &made);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_ENGINES_H
