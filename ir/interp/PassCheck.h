// A module before and after each pass, run.
//
// Runs the module on the same random packets before and after each pass and
// compares what can be seen from outside: packets put on channels and rings
// (bytes, ports, metadata), drops with their reasons, global data, stops. A
// pass whose result differs is a bug of ours; the first difference is printed
// and the program ends with status 3.
//
// ir/interp/Stimulus.h tells what packets and tables the program finds.

#ifndef KARAKAL_IR_INTERP_PASSCHECK_H
#define KARAKAL_IR_INTERP_PASSCHECK_H

#include "ir/interp/Stimulus.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>
#include <string>

namespace karakal::ir {

/// What is the first difference of two runs; empty if there is none. A run that
/// could not go on says nothing of what follows.
std::string firstDifference(const RunResult &before, const RunResult &after);

/// What `--check-passes` asks for.
struct PassCheckOptions {
  size_t packetCount = 100; ///< in each run
  size_t runCount = 4;      ///< each with its own global data
  uint64_t seed = 1;
  CheckInputs inputs;
  /// Says on standard error which passes were compared, and how much of the
  /// program the packets reached.
  bool isVerbose = false;
};

/// The checker as an instrumentation of a pass manager over modules. Passes
/// that leave the dialect (baker-to-llvm) and those that change what a program
/// is run from (baker-lower-channels) begin a new comparison.
std::unique_ptr<mlir::PassInstrumentation>
createPassCheck(const PassCheckOptions &options);

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_PASSCHECK_H
