//===- Run.h - programs on x86: bakerc --run and the profile ---*- C++ -*-===//
//
// Lowers a copy of the program for x86 and runs it over a trace. `--run` shows
// what came out; `--profile-trace` writes the packets that entered each PPF
// into the program, for the passes that decide by it.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_DRIVER_RUN_H
#define KARAKAL_DRIVER_RUN_H

#include "host/HostRunner.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"
#include <string>

namespace karakal::driver {

/// What a run reads.
struct HostInputs {
  std::string trace;   ///< pcap or pcapng
  std::string control; ///< control file; empty: no calls
};

/// What `--run` reads and writes.
struct RunRequest {
  HostInputs inputs;
  std::string program; ///< name for reports
  std::string out;     ///< trace of the frames sent; empty: none
  std::string stats;   ///< statistics as JSON; empty: none
};

/// Runs a copy of `baker`, a verified module of the dialect. With counters it
/// also counts the traffic of channels and the accesses of globals.
/// Errors: E-driver-030 cannot be lowered (the reason has been printed), those
/// of traces/ (trace, control file), those of host/ (the run).
Result<host::HostRun> runOnHost(mlir::ModuleOp baker, const HostInputs &inputs,
                                bool withCounters);

/// Sets `baker.profile` on the PPFs of `baker` from a run.
Status profileOnHost(mlir::ModuleOp baker, const HostInputs &inputs);

/// Runs, prints the table and writes what is asked for.
Status runProgram(mlir::ModuleOp baker, const RunRequest &request);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_RUN_H
