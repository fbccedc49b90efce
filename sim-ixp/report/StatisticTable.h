// The definition of each statistic.
//
// The keys of stats.json with units of measure and definitions
// (Statistics.def).

#ifndef KARAKAL_SIM_IXP_REPORT_STATISTICTABLE_H
#define KARAKAL_SIM_IXP_REPORT_STATISTICTABLE_H

#include <string>
#include <string_view>
#include <vector>

namespace karakal::sim {

/// One statistic.
struct StatisticRow {
  const char *key; ///< "units.sram[].utilization", "drops.REASON"
  const char *unit;
  const char *meaning;
};

/// All rows, in the order of the table.
const std::vector<StatisticRow> &statisticTable();
/// The row of a key as a run writes it, with list positions written as []; null
/// if there is none.
const StatisticRow *findStatistic(std::string_view key);
/// One row per line, for `--describe`.
std::string describeStatisticTable();

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_STATISTICTABLE_H
