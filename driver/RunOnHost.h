// Programs on x86.
//
// Lowers a copy of the program for x86 and runs it over a trace.
// `--profile-trace` and `--profile` attach a profile to the program, for the
// passes that use it.

#ifndef KARAKAL_DRIVER_RUNONHOST_H
#define KARAKAL_DRIVER_RUNONHOST_H

#include "driver/BakercOptions.h"
#include "host/HostRunner.h"
#include "ir/interp/Stimulus.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"
#include <string>
#include <vector>

namespace karakal::driver {

/// What --explain calls the reasons of specialized code.
inline constexpr const char *specializationName = "specialization";

/// The inputs of a run.
struct HostInputs {
  std::string trace;   ///< pcap or pcapng
  std::string control; ///< control file; empty: no calls
};

/// How a program runs (host::RunOptions).
struct HostSpeed {
  bool fast = false;
  uint32_t burst = 32, subBatch = 1;
  uint64_t packets = 0; ///< 0: the trace once
  bool keepFrames = true;
  bool keepGoing = false;
  host::SpecializeOptions specialize = {};
  /// Not 0: cut at random loads, for tests (baker-plan-batches).
  uint64_t cutSeed = 0;
  /// The globals at whose loads packets wait; empty: the large ones.
  std::vector<std::string> cuts = {};
  /// Make stages, whatever `subBatch` is.
  bool withStages = false;
  /// For the model of rates: host::RunOptions.
  host::WorkObservation *observation = nullptr;
  std::vector<x86::Batching> sweep = {};
};

/// Which code for x86 is made besides that for single packets.
struct X86Code {
  bool withCounters = false;          ///< those of a profile
  bool withBatches = false;           ///< x86::BatchMemory::RunFunction
  uint64_t cutSeed = 0;               ///< see HostSpeed
  std::vector<std::string> cuts = {}; ///< see HostSpeed
  bool withThreads = false;           ///< several threads may run it at once
  bool inParts = false;               ///< host::HostProgram::lowerPart
};

/// Lowers a copy of `baker` for x86.
/// E-driver-030 if that fails (the reason has been printed), E-driver-041 if
/// the global data are too large.
Result<host::HostProgram> lowerForX86(mlir::ModuleOp baker,
                                      const X86Code &code);

/// Runs a copy of `baker`, a verified module of the dialect. Unless it is fast,
/// the result also holds the counts of a profile. Errors: E-driver-030 if the
/// program cannot be lowered (the reason has been printed), those of traces/
/// (trace, control file), those of host/ (the run).
Result<host::HostRun> runOnHost(mlir::ModuleOp baker, const HostInputs &inputs,
                                const HostSpeed &speed = {});

/// The traffic of a run.
struct HostTraffic {
  std::vector<traces::Packet> trace;
  std::vector<traces::ControlCall> control;
};

/// Errors: those of traces/ (trace, control file).
Result<HostTraffic> readTraffic(const HostInputs &inputs);
/// As `runOnHost`.
Result<host::HostRun> runTraffic(mlir::ModuleOp baker,
                                 const HostTraffic &traffic,
                                 const HostSpeed &speed);

/// The sources of a profile: a run, files, or both, which are added.
struct ProfileRequest {
  HostInputs inputs;              ///< trace empty: no run
  std::vector<std::string> files; ///< in the form of docs/profile.md
  std::string output;             ///< where to write the sum; empty: nowhere
};

/// Sets the attributes of ir/dialect/ProfileAttributes.h on `baker`. Does
/// nothing if the request names neither a trace nor a file. Errors: those of
/// `runOnHost` and of host/profile/FunctionalProfile.h; E-driver-031 if a
/// profile cannot be read, E-support-002 if it cannot be written.
Status profileProgram(mlir::ModuleOp baker, const ProfileRequest &request);

/// Reads frames and calls for the pass checker. The names of the trace and of
/// the control file may be empty. Errors: those of traces/.
Result<ir::CheckInputs> readCheckInputs(mlir::ModuleOp baker,
                                        const HostInputs &inputs);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_RUNONHOST_H
