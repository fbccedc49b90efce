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

/// Writes frames that left the chip as a trace whose time begins at
/// `startCycle`. Errors: those of TraceWriter.
Status writeFrames(const std::string &path, const target::ChipParameters &chip,
                   uint64_t startCycle, const std::vector<SentFrame> &frames);

/// Writes a text file. Errors: E-sim-ixp-040.
Status writeText(const std::string &path, const std::string &text);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_RESULTFILES_H
