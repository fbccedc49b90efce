// What a run measured.
//
// Turns the counters of a finished run into stats.json (docs/statistics.md has
// its keys) and into a table for people. Everything about packets holds for the
// whole run; rates, accesses, latencies, units and engines hold for the part
// after the warm-up. The JSON depends on the run alone, never on the host.

#ifndef KARAKAL_SIM_IXP_REPORT_STATISTICS_H
#define KARAKAL_SIM_IXP_REPORT_STATISTICS_H

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::sim {

class Simulation;

/// stats.json of a finished run.
nlohmann::json collectStatistics(Simulation &run);

/// The table of a finished run: packets, rates, accesses, utilization; with the
/// host's speed.
std::string describeStatistics(Simulation &run, const nlohmann::json &stats);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_STATISTICS_H
