// Checks that follow the control flow of each body.

#ifndef KARAKAL_BAKER_LANG_CHECKS_PACKETFLOWCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_PACKETFLOWCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Checks along all paths of each body that every packet is released exactly
/// once and not used afterwards, and that a function with a result returns one.
/// Warns of unreachable statements. Sets CallExpr::heldHandles.
void checkPacketFlow(Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_PACKETFLOWCHECK_H
