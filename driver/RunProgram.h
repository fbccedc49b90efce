// bakerc --run: a program on x86 over a trace, its table and its files.

#ifndef KARAKAL_DRIVER_RUNPROGRAM_H
#define KARAKAL_DRIVER_RUNPROGRAM_H

#include "driver/RunOnHost.h"

namespace karakal::driver {

/// The inputs and outputs of `--run`.
struct RunRequest {
  HostInputs inputs;
  HostSpeed speed;
  BatchingRequest batching;
  std::string program; ///< the name in reports
  std::string out;     ///< trace of the frames sent; empty: none
  std::string stats;   ///< statistics as JSON; empty: none
};

/// Runs the program, prints the table and writes the requested files.
Status runProgram(mlir::ModuleOp baker, const RunRequest &request);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_RUNPROGRAM_H
