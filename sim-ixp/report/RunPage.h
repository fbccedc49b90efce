// The page that `ixpsim --html` writes.
//
// One HTML file that needs nothing else: the chip coloured by utilization over
// the run, the statistics, the slowest and the dropped packets. It is the files
// of sim-ixp/report/page/ with the run as JSON in it. baker-explorer shows the
// same page.

#ifndef KARAKAL_SIM_IXP_REPORT_RUNPAGE_H
#define KARAKAL_SIM_IXP_REPORT_RUNPAGE_H

#include "sim-ixp/run/Simulation.h"

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::sim {

/// The page of a run that was sampled. `command` made it, `stats` are its
/// statistics.
std::string makeRunPage(const std::string &command, const nlohmann::json &stats,
                        Simulation &run);

/// The run as the page reads it; docs/explorer.md lists the keys.
nlohmann::json describeRun(const std::string &command,
                           const nlohmann::json &stats, Simulation &run);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_RUNPAGE_H
