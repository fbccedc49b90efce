// Points where packets of a batch wait for each other.

#ifndef KARAKAL_IR_DIALECT_BATCHES_H
#define KARAKAL_IR_DIALECT_BATCHES_H

#include "ir/dialect/Baker.h"

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
