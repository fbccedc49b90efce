// The command line of ixpsim.

#ifndef KARAKAL_SIM_IXP_RUN_COMMANDLINE_H
#define KARAKAL_SIM_IXP_RUN_COMMANDLINE_H

#include "sim-ixp/run/Simulation.h"
#include "support/Error.h"

#include <string>
#include <variant>
#include <vector>

namespace karakal::sim {

/// The arguments of ixpsim. The name of a file is empty if it is not given.
struct CommandLine {
  std::string image, trace, control;         ///< files to read
  std::string out, stats, timeline, profile; ///< files to write
  /// "ENGINE:FILE", raw microcode that runs instead of an image.
  std::vector<std::string> ucode;
  SimulationOptions run;
  bool describe = false;
  bool quiet = false;
  bool progress = false;
};

/// Reads the arguments, applies the chip's configuration and settings, and
/// checks the options against each other. Returns the arguments, or the status
/// to exit with: ExitDone after `--help`, ExitUsageWrong after a message on
/// standard error.
std::variant<CommandLine, ExitStatus> parseCommandLine(int argc, char **argv);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_COMMANDLINE_H
