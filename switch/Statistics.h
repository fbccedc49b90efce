// What the switch has counted, in the forms that people and programs read.

#ifndef KARAKAL_SWITCH_STATISTICS_H
#define KARAKAL_SWITCH_STATISTICS_H

#include "switch/Switch.h"
#include <string>

namespace karakal::sw {

/// A table for people. With `before`, an earlier snapshot of the same switch,
/// it also tells rates.
std::string statisticsTable(const Snapshot &now,
                            const Snapshot *before = nullptr);
/// One line of JSON; docs/switch.md lists the keys.
std::string statisticsJson(const Snapshot &now);
/// Prometheus' text form, version 0.0.4.
std::string statisticsPrometheus(const Snapshot &now);

/// What specialized code assumes, as text, one sentence a line, and as JSON.
std::string explanationText(const x86::Assumptions &made, bool isInForce);
std::string explanationJson(const x86::Assumptions &made, bool isInForce);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_STATISTICS_H
