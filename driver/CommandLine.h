// The command line of bakerc.

#ifndef KARAKAL_DRIVER_COMMANDLINE_H
#define KARAKAL_DRIVER_COMMANDLINE_H

#include "driver/BakercOptions.h"
#include "support/Error.h"
#include <variant>

namespace karakal::driver {

/// Reads the arguments of bakerc, loads the plugins that they name and checks
/// the options against each other. Returns the options, or the status to exit
/// with: ExitDone after `--help`, ExitUsageWrong after a message on standard
/// error.
std::variant<BakercOptions, ExitStatus> parseCommandLine(int argc, char **argv);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_COMMANDLINE_H
