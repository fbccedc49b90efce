// The statistics of a run on x86, as JSON and as a table.

#ifndef KARAKAL_HOST_RUNREPORT_H
#define KARAKAL_HOST_RUNREPORT_H

#include "host/HostRunner.h"
#include "support/Error.h"
#include <string>

namespace karakal::host {

/// Returns the statistics of a run as JSON: "packets" and "drops" as in the
/// simulator's stats.json, "ppfs" with the packets that entered each PPF, and
/// "counters" with `events` (host/profile/FunctionalProfile.h, eventCounts).
/// Includes no wall time, so the same run gives the same bytes.
std::string statisticsJson(const HostRun &run, const std::string &program,
                           const Counts &events);

/// Writes statisticsJson to `path`. E-host-006 if that fails.
Status writeStatistics(const std::string &path, const HostRun &run,
                       const std::string &program, const Counts &events);

/// Returns the same statistics as a table, with the speed.
std::string statisticsTable(const HostRun &run, const std::string &program);

} // namespace karakal::host

#endif // KARAKAL_HOST_RUNREPORT_H
