// What limits a run.
//
// Names the part of the chip that is nearest to its limit, from a run's
// statistics, and says what would help. A saturated memory or port is the
// bottleneck; if there is none, the engines are if they are busy; otherwise
// contexts wait for latency or for packets.

#ifndef KARAKAL_SIM_IXP_REPORT_BOTTLENECK_H
#define KARAKAL_SIM_IXP_REPORT_BOTTLENECK_H

#include <nlohmann/json.hpp>

namespace karakal::sim {

/// `{"unit", "utilization", "reason", "advice"}` from `units`, `microengines`,
/// `rate` and `ports` of the statistics.
nlohmann::json findBottleneck(const nlohmann::json &stats);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_BOTTLENECK_H
