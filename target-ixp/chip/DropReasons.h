// Drop reasons that the runtime itself counts.

#ifndef KARAKAL_TARGET_IXP_CHIP_DROPREASONS_H
#define KARAKAL_TARGET_IXP_CHIP_DROPREASONS_H

#include "target-ixp/chip/MemoryMap.h"

namespace karakal::target {

/// A packet for a port that is not there: the first of every program's reasons,
/// counted by Tx.
constexpr uint32_t DropNoPort = DropProgramFirst;
/// The counters of a program without reasons of its own.
constexpr uint32_t DropReasonsMin = DropNoPort + 1;

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_DROPREASONS_H
