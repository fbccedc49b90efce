// Drop reasons that exist without an operation, because the runtime counts
// them.

#ifndef KARAKAL_IR_DIALECT_RUNTIMEREASONS_H
#define KARAKAL_IR_DIALECT_RUNTIMEREASONS_H

#include "ir/dialect/Attributes.h"

namespace karakal::ir {

/// The reason for packets that are put on tx for a port that is not there.
inline constexpr llvm::StringLiteral noPortReasonName = "no_port";

inline bool isRuntimeReason(llvm::StringRef name) {
  return name == unspecifiedReasonName || name == truncatedReasonName ||
         name == noPortReasonName;
}

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_RUNTIMEREASONS_H
