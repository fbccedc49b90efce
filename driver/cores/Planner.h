// Plans of a program: the passes over the whole of it.
//
// The driver plans a program many times, each time with other options. Most
// passes then do what they did before:
//
//   program → up to split-cores → up to aggregation → all → compiled
//             the same for      the same for
//             one size factor   one number of
//             and set of caches rare PPFs too
//
// The planner keeps the module at both places, with what the passes said, and
// continues from there. It also keeps what channel-heads found, the longest
// pass after aggregation: which packets a channel has does not depend on the
// plan. So all plans of a planner have the same level, and the same passes up
// to there.

#ifndef KARAKAL_DRIVER_CORES_PLANNER_H
#define KARAKAL_DRIVER_CORES_PLANNER_H

#include "driver/pipeline/Pipeline.h"
#include "ir/dialect/Baker.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include <limits>
#include <list>
#include <map>
#include <vector>

namespace karakal::driver {

class Planner {
public:
  /// Any number of aggregates.
  static constexpr size_t anyCount = std::numeric_limits<size_t>::max();

  /// `program` outlives the planner and does not change meanwhile.
  explicit Planner(mlir::ModuleOp program) : program(program) {}

  mlir::MLIRContext *context() { return program.getContext(); }

  /// Runs the passes over the whole program on a copy of it. Errors: those of
  /// the passes; if no mapping fits, the error's resource is Resource::Engines.
  /// A mapping with more than `aggregatesMax` aggregates is an error of which
  /// nothing is reported.
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  plan(const PipelineOptions &options, size_t aggregatesMax = anyCount);

  /// Like plan(), but only up to aggregation.
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  aggregate(const PipelineOptions &options);

private:
  /// What passes made of the program.
  struct Kept {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<mlir::Diagnostic> said;
  };
  /// The program before split-cores.
  struct Start {
    double wordsScale;
    bool cacheLookups, cacheArrays;
    std::vector<std::string> disabled;
    Kept kept;
    /// After aggregation, by the number of rare PPFs on the engines.
    std::map<unsigned, Kept> aggregated;
  };

  Start *findStart(const PipelineOptions &options);
  /// The module that is kept, or null.
  mlir::ModuleOp keptStart(const PipelineOptions &options);
  mlir::ModuleOp keptAggregation(const PipelineOptions &options);
  static mlir::OwningOpRef<mlir::ModuleOp> continueFrom(Kept &kept);
  bool setHeads(mlir::ModuleOp module) const;
  void keepHeads(mlir::ModuleOp module);
  Result<mlir::OwningOpRef<mlir::ModuleOp>>
  start(const PipelineOptions &options);

  mlir::ModuleOp program;
  std::list<Start> starts;
  /// What channel-heads set on each channel of the program; null: nothing.
  llvm::DenseMap<mlir::StringAttr, ir::HeadAttr> heads;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_PLANNER_H
