// The estimated cost of an operation on a microengine.
//
// The estimate serves decisions that are made before code exists. It counts
// the instructions and memory commands of one execution of an operation, as the
// code generator makes them when no packet operations are combined (levels o1
// and o2). Combining, static offsets and caches reduce the true cost; feedback
// from the generated code then replaces the estimate.

#ifndef KARAKAL_IR_ANALYSIS_OPERATIONCOST_H
#define KARAKAL_IR_ANALYSIS_OPERATIONCOST_H

#include "ir/dialect/Baker.h"
#include <cstdint>

namespace karakal::ir {

/// The cost of one execution of an operation.
struct OperationCost {
  uint32_t instructions;
  /// Memory commands for the packet (descriptor, buffer, free list) by unit.
  uint32_t scratch, sram, dram;
  /// Memory commands for global data.
  uint32_t global;
};

/// Returns the estimate for `op`. An unknown operation of another dialect costs
/// one instruction.
OperationCost costOf(mlir::Operation *op);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_OPERATIONCOST_H
