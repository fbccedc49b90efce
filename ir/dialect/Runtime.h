// What every program finds in the runtime: ports, and drop reasons that exist
// without an operation.

#ifndef KARAKAL_IR_DIALECT_RUNTIME_H
#define KARAKAL_IR_DIALECT_RUNTIME_H

#include "ir/dialect/Attributes.h"
#include "target-ixp/chip/MemoryMap.h"

namespace karakal::ir {

/// Ports have numbers from 0 up to this one, without it.
inline constexpr uint32_t portCount = target::PortCount;

/// The reason for packets that are put on tx for a port that is not there.
inline constexpr llvm::StringLiteral noPortReasonName = "no_port";

inline bool isRuntimeReason(llvm::StringRef name) {
  return name == unspecifiedReasonName || name == truncatedReasonName ||
         name == noPortReasonName;
}

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_RUNTIME_H
