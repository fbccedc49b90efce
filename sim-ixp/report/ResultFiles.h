// The files that a run writes.

#ifndef KARAKAL_SIM_IXP_REPORT_RESULTFILES_H
#define KARAKAL_SIM_IXP_REPORT_RESULTFILES_H

#include "sim-ixp/run/CommandLine.h"
#include "sim-ixp/run/Simulation.h"
#include "support/Error.h"

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::sim {

/// Writes the files that the command line names: frames, statistics, timeline
/// and profile of a finished run. Errors: E-sim-ixp-040 (a file cannot be
/// written), those of TraceWriter.
Status writeResults(const CommandLine &line, const nlohmann::json &stats,
                    Simulation &run);

/// Writes a text file. Errors: E-sim-ixp-040.
Status writeText(const std::string &path, const std::string &text);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_RESULTFILES_H
