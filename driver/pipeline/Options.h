// The options of the command line.

#ifndef KARAKAL_DRIVER_PIPELINE_OPTIONS_H
#define KARAKAL_DRIVER_PIPELINE_OPTIONS_H

#include "driver/pipeline/Pipeline.h"
#include "host/Specialization.h"
#include "support/Diagnostics.h"
#include "target-ixp/chip/MemoryMap.h"
#include <cstdint>
#include <string>
#include <vector>

namespace karakal::driver {

/// The form of the program that `--emit` writes.
enum class Emit {
  Ast,        ///< the checked syntax tree
  Baker,      ///< the baker dialect, as the front end made it
  Dot,        ///< the PPF graph with its aggregates, for Graphviz
  Llvm,       ///< LLVM IR of each core, optimized
  Asm,        ///< microcode in Intel's syntax
  Ixp,        ///< the image
  Object,     ///< for x86: an ELF object
  Header,     ///< for x86: the C header of the object
  Executable, ///< for x86: a program that runs over a trace
};

/// Whether `--target=x86` alone has this form.
inline bool isForX86(Emit form) {
  return form == Emit::Object || form == Emit::Header ||
         form == Emit::Executable;
}

/// The options of one run of bakerc.
struct Options {
  /// Baker sources, or one module of the baker dialect (`.mlir`).
  std::vector<std::string> inputs;
  /// Folders that are searched for imports before Baker's own library.
  std::vector<std::string> importFolders;
  /// The `-W` options.
  WarningPolicy warnings;
  /// Errors and warnings of the sources as JSON instead of text.
  bool jsonDiagnostics = false;
  /// The output file; "-" is standard output, empty the default of `emit`.
  std::string output;
  Emit emit = Emit::Ixp;
  /// The chip, as target::parseChip takes it; empty: the one that a module of
  /// the dialect names, or the IXP2400.
  std::string target;
  /// The secret that chooses the multiplier of hashes, as
  /// target::readHashSecret takes it; empty: none.
  std::string hashKey;
  /// The options of passes.
  PipelineOptions pipeline;
  /// Prints the run time of each pass.
  bool timePasses = false;
  /// The folder for the module after each pass, or empty.
  std::string dumpPasses;
  /// Passes whose explanations are printed; "all" is every pass.
  std::vector<std::string> explained;
  /// Trace from which the profile is collected; empty: no profile.
  std::string profileTrace;
  /// Profiles that are read and added to it.
  std::vector<std::string> profiles;
  /// The output file of the profile; empty: none.
  std::string emitProfile;
  /// Control file that is executed before the profile, or before `run`.
  std::string control;
  /// The output file of the report; empty: none.
  std::string report;

  /// Prints the worst case of a message in each aggregate.
  bool worstCases = false;
  /// Rates that the code must reach, as `GBPS` or `CLASS=GBPS`
  /// (driver/report/MinimumRate.h).
  std::vector<std::string> minRates;

  /// Compiles for x86, ahead of time.
  bool forX86 = false;
  /// Runs the program on this computer instead of compiling it for the chip.
  bool run = false;
  std::string trace, out, stats;
  /// Runs at full speed, in bursts of `burst` packets: host::RunOptions.
  bool fast = false;
  uint32_t burst = 32, subBatch = 1;
  /// Not 0: packets of a sub-batch wait at random loads, for tests.
  uint64_t cutSeed = 0;
  host::SpecializeWhen specialize = host::SpecializeWhen::Never;
  /// Packets to run; 0: the trace once.
  uint64_t packets = 0;
  bool keepGoing = false; ///< after a control call that is refused
  /// Prints the output of the program's 'trace' statements.
  bool printTraces = false;
  /// Keeps where local variables lie, for `ixpsim --break`.
  bool keepVariables = false;
  /// Rounds of a packet in a cycle of channels until it is dropped; 0: any.
  uint32_t maxRounds = 1000;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_OPTIONS_H
