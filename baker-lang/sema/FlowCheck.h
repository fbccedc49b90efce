// Packets and returns along paths.

#ifndef KARAKAL_BAKER_LANG_SEMA_FLOWCHECK_H
#define KARAKAL_BAKER_LANG_SEMA_FLOWCHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Checks along all paths of each body that every packet is given away exactly
/// once and not used afterwards, and that a function with a result returns
/// one. Notes at each packet_decap which other packets are held there.
void checkFlow(Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SEMA_FLOWCHECK_H
