// Locks, counters, hashes, time, chance.

#ifndef KARAKAL_IR_DIALECT_SERVICES_H
#define KARAKAL_IR_DIALECT_SERVICES_H

#include "ir/dialect/Baker.h"

namespace karakal::ir {

/// What holds of loops.
struct LoopBoundsResource
    : mlir::SideEffects::Resource::Base<LoopBoundsResource> {
  llvm::StringRef getName() final { return "LoopBounds"; }
};

} // namespace karakal::ir

#define GET_OP_CLASSES
#include "ir/dialect/BakerServices.h.inc"

namespace karakal::ir {

/// The number that a reason's counter has, in the order of `dropReasonsOf`.
uint32_t dropReasonNumber(DropCountOp ask);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_SERVICES_H
