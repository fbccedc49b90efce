// Locks, counters, hashes, time and random numbers.

#ifndef KARAKAL_IR_DIALECT_SERVICES_H
#define KARAKAL_IR_DIALECT_SERVICES_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace karakal::ir {

/// The bounds of loops.
struct LoopBoundsResource
    : mlir::SideEffects::Resource::Base<LoopBoundsResource> {
  llvm::StringRef getName() final { return "LoopBounds"; }
};

/// The values of local variables.
struct VariablesResource
    : mlir::SideEffects::Resource::Base<VariablesResource> {
  llvm::StringRef getName() final { return "Variables"; }
};

} // namespace karakal::ir

#define GET_OP_CLASSES
#include "ir/dialect/BakerServices.h.inc"

namespace karakal::ir {

/// Returns the number of the counter that `read` reads, in the order of
/// `dropReasonsOf`.
uint32_t dropReasonNumber(DropCountOp read);

/// Whether the runtime counts the drop reason, so that it exists without an
/// operation.
bool isRuntimeReason(llvm::StringRef name);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_SERVICES_H
