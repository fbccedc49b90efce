// A check that passes keep the behaviour of programs.
//
// Runs the module on the same random packets before and after each pass and
// compares the visible effects: packets put on channels and rings (bytes,
// ports, metadata), drops with their reasons, global data, and stops. A pass
// whose result differs has a bug: the check prints the first difference and
// exits with status 3.
//
// ir/interp/Stimulus.h describes the packets and tables.

#ifndef KARAKAL_IR_INTERP_PASSCHECK_H
#define KARAKAL_IR_INTERP_PASSCHECK_H

#include "ir/interp/Stimulus.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>
#include <string>

namespace karakal::ir {

/// Describes the first difference of two runs, or returns an empty string. Of
/// an incomplete run only the events before its end are compared.
std::string firstDifference(const RunResult &before, const RunResult &after);

/// The options of `--check-passes`.
struct PassCheckOptions {
  size_t packetCount = 100; ///< in each run
  size_t runCount = 4;      ///< each with its own global data
  uint64_t seed = 1;
  CheckInputs inputs;
  /// Whether to print on standard error which passes were compared and how
  /// much of the program the packets reached.
  bool isVerbose = false;
};

/// Returns the check as an instrumentation of a pass manager over modules. It
/// does not compare across passes that leave the dialect (baker-to-llvm) or
/// change the entry of a program (baker-lower-channels).
std::unique_ptr<mlir::PassInstrumentation>
createPassCheck(const PassCheckOptions &options);

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_PASSCHECK_H
