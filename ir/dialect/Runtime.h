// What every program finds in the runtime: ports, and a drop reason.

#ifndef KARAKAL_IR_DIALECT_RUNTIME_H
#define KARAKAL_IR_DIALECT_RUNTIME_H

#include "target-ixp/chip/MemoryMap.h"
#include "llvm/ADT/StringRef.h"

namespace karakal::ir {

/// Ports have numbers from 0 up to this one, without it.
inline constexpr uint32_t portCount = target::PortCount;

/// The reason for packets that are put on tx for a port that is not there.
inline constexpr llvm::StringLiteral noPortReasonName = "no_port";

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_RUNTIME_H
