// A profile of a program's cycles.
//
// Sums the engines' profiles by microcode, instruction and source line. Writes
// them as JSON and as collapsed stacks, which flame graph tools read:
// "role;microcode;file:line;instruction cycles".

#ifndef KARAKAL_SIM_IXP_REPORT_CYCLEPROFILE_H
#define KARAKAL_SIM_IXP_REPORT_CYCLEPROFILE_H

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::sim {

class Simulation;

/// `{"microcode": {NAME: {"role", "engines", "instructions": […], "lines":
/// […], "locks": […]}}}`; docs/statistics.md describes the keys. All engines
/// must have been profiled.
nlohmann::json collectProfile(Simulation &run);

/// The profile as collapsed stacks, one per line; cycles are issued, aborted
/// and stalled cycles.
std::string collapseProfile(const nlohmann::json &profile);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_CYCLEPROFILE_H
