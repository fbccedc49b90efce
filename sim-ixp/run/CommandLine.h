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
  std::string image, trace, control; ///< files to read
  std::string out, stats, timeline, html, record,
      journey; ///< files to write
  /// A file to write, or "table" to print the profile.
  std::string profile;
  std::string timelineWindow; ///< "FROM:TO"
  /// The command as a shell takes it.
  std::string command;
  /// "ENGINE:FILE", raw microcode that runs instead of an image.
  std::vector<std::string> ucode;
  /// A configuration of the chip, or a file; empty: the one of the image.
  std::string chip;
  std::vector<std::string> settings; ///< "name=value", applied to the chip
  SimulationOptions run;
  /// Empty, or the form: "text", "json" or "p4info".
  std::string describe;
  bool quiet = false;
  bool progress = false;
};

/// The chip of a run: that of `--chip`, else that of the image if there is one,
/// with the settings of `--set`. Errors: those of setConfiguration and
/// setParameter.
Result<target::ChipParameters> chooseChip(const CommandLine &line,
                                          const target::Image *image);

/// Reads the arguments, applies the chip's configuration and settings, and
/// checks the options against each other. Returns the arguments, or the status
/// to exit with: ExitDone after `--help`, ExitUsageWrong after a message on
/// standard error.
std::variant<CommandLine, ExitStatus> parseCommandLine(int argc, char **argv);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_COMMANDLINE_H
