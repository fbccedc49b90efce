// What a breakpoint shows.
//
// The source line, the packet that the context holds, the program's globals and
// the engine's registers. All values are read from the memories and registers
// at that cycle. Local variables are not shown: a register holds different
// variables at different instructions and a variable lies in different ones, or
// in none, and the image does not say where.

#ifndef KARAKAL_SIM_IXP_REPORT_BREAKREPORT_H
#define KARAKAL_SIM_IXP_REPORT_BREAKREPORT_H

#include <string>

namespace karakal::sim {

class Simulation;

/// Describes the engine that has reached a breakpoint.
std::string describeBreak(Simulation &run);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_BREAKREPORT_H
