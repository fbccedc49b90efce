// The files that `ixpsim --record` writes.

#ifndef KARAKAL_SIM_IXP_REPORT_RUNRECORD_H
#define KARAKAL_SIM_IXP_REPORT_RUNRECORD_H

#include "sim-ixp/run/Simulation.h"
#include "support/Error.h"

#include <string>

namespace karakal::sim {

/// Writes a row for each packet to `path`.packets.csv, a row for
/// each timed control call to `path`.calls.csv, and the spans of
/// contexts that were kept exactly to `path`.spans.csv. Cycles count from the
/// start of the engines. Error: E-sim-ixp-040 (a file cannot be written).
Status writeRecord(const std::string &path, Simulation &run);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_RUNRECORD_H
