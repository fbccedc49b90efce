// The profile as text.
//
// For each microcode the source lines that cost most cycles, each with the
// instructions that it costs them for, as `perf annotate` prints them, and
// where contexts wait for locks.

#ifndef KARAKAL_SIM_IXP_REPORT_PROFILETABLE_H
#define KARAKAL_SIM_IXP_REPORT_PROFILETABLE_H

#include <string>

namespace karakal::sim {

class Simulation;

/// What `--profile` prints instead of writing a file.
inline constexpr const char *profileTable = "table";

/// The table of a finished run, whose engines must have been profiled.
std::string describeProfile(Simulation &run);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_PROFILETABLE_H
