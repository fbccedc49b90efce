// Programs on x86: bakerc --run and the profile.
//
// Lowers a copy of the program for x86 and runs it over a trace. `--run` shows
// what came out; `--profile-trace` and `--profile` put a profile into the
// program, for the passes that decide by it.

#ifndef KARAKAL_DRIVER_RUNONHOST_H
#define KARAKAL_DRIVER_RUNONHOST_H

#include "host/HostRunner.h"
#include "ir/interp/Stimulus.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"
#include <string>
#include <vector>

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
/// also counts what the profile needs.
/// Errors: E-driver-030 cannot be lowered (the reason has been printed), those
/// of traces/ (trace, control file), those of host/ (the run).
Result<host::HostRun> runOnHost(mlir::ModuleOp baker, const HostInputs &inputs,
                                bool withCounters);

/// Where a program's profile comes from: a run, files, or both, added.
struct ProfileRequest {
  HostInputs inputs;              ///< trace empty: no run
  std::vector<std::string> files; ///< in the form of docs/profile.md
  std::string output;             ///< where to write the sum; empty: nowhere
};

/// Sets the attributes of ir/dialect/ProfileAttributes.h on `baker`; does
/// nothing if neither a run nor a file is asked for. Errors: those of
/// `runOnHost` and of host/FunctionalProfile.h, E-driver-031 a profile cannot
/// be read, E-support-002 or written.
Status profileProgram(mlir::ModuleOp baker, const ProfileRequest &request);

/// Frames and calls for the pass checker; a trace and a control file may be
/// empty. Errors: those of traces/.
Result<ir::CheckInputs> readCheckInputs(mlir::ModuleOp baker,
                                        const HostInputs &inputs);

/// Runs, prints the table and writes what is asked for.
Status runProgram(mlir::ModuleOp baker, const RunRequest &request);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_RUNONHOST_H
