// The ports of the chip, for those who know the dialect alone.

#ifndef KARAKAL_IR_DIALECT_PORTS_H
#define KARAKAL_IR_DIALECT_PORTS_H

#include "target-ixp/chip/MemoryMap.h"

namespace karakal::ir {

/// Ports have numbers from 0 up to this one, without it.
inline constexpr uint32_t portCount = target::PortCount;

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_PORTS_H
