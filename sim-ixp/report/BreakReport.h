// What a breakpoint shows.
//
// The source line, the local variables of its function, the packet that the
// context holds, the program's globals and the engine's registers. All values
// are read from the memories and registers at that cycle. Where a local
// variable lies at an instruction, in which register if in any, is in an image
// that was compiled with `bakerc -g`.

#ifndef KARAKAL_SIM_IXP_REPORT_BREAKREPORT_H
#define KARAKAL_SIM_IXP_REPORT_BREAKREPORT_H

#include <string>

namespace karakal::sim {

class Simulation;

/// Describes the engine that has reached a breakpoint.
std::string describeBreak(Simulation &run);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_REPORT_BREAKREPORT_H
