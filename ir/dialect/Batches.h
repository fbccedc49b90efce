// Marks on the paths of packets: points where those of a batch wait for each
// other, and channels that they pass.

#ifndef KARAKAL_IR_DIALECT_BATCHES_H
#define KARAKAL_IR_DIALECT_BATCHES_H

#include "ir/dialect/Baker.h"

namespace karakal::ir {

/// The channels that packets pass.
struct PassedChannelsResource
    : mlir::SideEffects::Resource::Base<PassedChannelsResource> {
  llvm::StringRef getName() final { return "PassedChannels"; }
};

} // namespace karakal::ir

#define GET_OP_CLASSES
#include "ir/dialect/BakerBatches.h.inc"

namespace karakal::ir {

/// Functions to which baker-to-llvm lowers `baker.cut` on x86. The first has
/// the number of the stage as its operand.
inline constexpr llvm::StringLiteral cutFunctionName = "karakal_cut";
inline constexpr llvm::StringLiteral cutLastFunctionName = "karakal_cut_last";

/// The function that runs one packet of a batch up to its first cut.
inline constexpr llvm::StringLiteral batchFunctionName = "karakal.batch";

/// Set on the consumers of channels whose packets wait in the host's queue.
inline constexpr llvm::StringLiteral queuedAttrName = "baker.batch.queued";

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_BATCHES_H
