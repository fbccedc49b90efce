// The results of a run.
//
// Turns the counters of a finished run into stats.json (docs/statistics.md
// lists its keys) and a readable table. Packet statistics cover the whole run;
// rates, accesses, latencies, units and engines cover the part after the
// warm-up. The JSON depends only on the run, never on the host.

#ifndef KARAKAL_SIM_IXP_REPORT_STATISTICS_H
#define KARAKAL_SIM_IXP_REPORT_STATISTICS_H

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::sim {

class Simulation;

/// Returns stats.json of a finished run.
nlohmann::json collectStatistics(Simulation &run);

/// The table of a finished run: packets, rates, accesses, utilization, and the
/// host's speed.
std::string describeStatistics(Simulation &run, const nlohmann::json &stats);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_STATISTICS_H
