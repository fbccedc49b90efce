// What every program finds in the runtime: ports, timers, and a drop reason.

#ifndef KARAKAL_IR_DIALECT_RUNTIME_H
#define KARAKAL_IR_DIALECT_RUNTIME_H

#include "target-ixp/chip/MemoryMap.h"
#include "llvm/ADT/StringRef.h"

namespace karakal::ir {

/// Ports have numbers from 0 up to this one, without it.
inline constexpr uint32_t portCount = target::PortCount;

/// On a control function: N : i64, it is called every N microseconds.
inline constexpr llvm::StringLiteral intervalAttrName = "baker.interval";
/// The longest time between two calls of a timer, in microseconds.
inline constexpr uint64_t intervalMax = 3'600'000'000;

/// The reason for packets that are put on tx for a port that is not there.
inline constexpr llvm::StringLiteral noPortReasonName = "no_port";

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_RUNTIME_H
