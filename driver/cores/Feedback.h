// Planning and compiling, with feedback from the generated code.
//
// Aggregation decides from estimates of size and cost. The generated code then
// shows the true values:
//
//   plan → compile → the code does not fit an engine   larger estimates, again
//        ↘ no mapping fits the estimates               smaller estimates, again
//                  → the code is smaller than estimated  plan again, keep the
//                                                        better of the two
//                  → there is room for rare PPFs       as many as fit, by
//                    beside the true size                bisection of plans
//                  → engines by the cost of the code
//                  → software caches                   compile without; caches
//                                                      stay if they pay
//                  → rare paths could have copies,     compile with them; they
//                    and there is room for these         stay if they fit
//
// Cost: at most 13 compilations of the program, usually one to four: without
// rare PPFs, with those that have room, and without caches. A trial of rare
// PPFs that does not fit costs one more, and so do copies of rare paths.

#ifndef KARAKAL_DRIVER_CORES_FEEDBACK_H
#define KARAKAL_DRIVER_CORES_FEEDBACK_H

#include "driver/cores/EngineCode.h"
#include "driver/cores/HeldRemarks.h"

namespace karakal::driver {

/// A program with its plan and its code.
struct PlannedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::vector<AggregateCode> engines;
  /// The factor on estimated words that the plan was made with.
  double wordsScale;
  /// What the passes explained that made the plan, and those that made its
  /// code.
  Remarks ofPlan = {}, ofCode = {};
};

/// Runs the passes over the whole program on a copy of it. Errors: those of the
/// passes; if no mapping fits, the error's resource is Resource::Engines.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
planProgram(mlir::ModuleOp program, const PipelineOptions &options);

/// Plans and compiles. If an aggregate does not fit its engine, plans again
/// with larger sizes. Software caches stay only if the model predicts that the
/// code with them is no slower than the code without. Calls `onLikelyPlan`,
/// once or several times, with a plan whose rare PPFs and array caches are
/// likely to be chosen: what is still tried leaves the program of the XScale
/// core as it is, as a rule. Passes' remarks are those of the program that is
/// chosen. Errors: those of the passes and of the code
/// generator.
Result<PlannedProgram>
planAndCompile(mlir::ModuleOp program, const Options &options,
               llvm::function_ref<void(mlir::ModuleOp)> onLikelyPlan = {});

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_FEEDBACK_H
