// Warns of cycles of channels that no packet leaves.

#ifndef KARAKAL_BAKER_LANG_CHECKS_CHANNELCYCLECHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_CHANNELCYCLECHECK_H

namespace karakal {
class Diagnostics;
}

namespace karakal::lang {

struct Program;

/// Warns of PPFs that only pass their packets on to each other: none drops one
/// or puts one on a channel that leads out. Requires a program without errors.
void checkChannelCycles(const Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_CHANNELCYCLECHECK_H
