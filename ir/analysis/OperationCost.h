// What an operation costs a microengine.
//
// An estimate for decisions that are taken before code exists: instructions
// and memory commands of one execution of an operation, as this compiler's
// code generator makes them when each packet operation stands alone (levels
// o1 and o2). Combining, static offsets and caches make it less; feedback from
// the generated code then replaces the estimate.

#ifndef KARAKAL_IR_ANALYSIS_OPERATIONCOST_H
#define KARAKAL_IR_ANALYSIS_OPERATIONCOST_H

#include "ir/dialect/Baker.h"
#include <cstdint>

namespace karakal::ir {

/// Cost of one execution.
struct OperationCost {
  uint32_t instructions = 0;
  /// Memory commands of the packet (descriptor, buffer, free list) by unit.
  uint32_t scratch = 0, sram = 0, dram = 0;
  /// Memory commands of global data.
  uint32_t global = 0;

  OperationCost &operator+=(const OperationCost &other) {
    instructions += other.instructions;
    scratch += other.scratch;
    sram += other.sram;
    dram += other.dram;
    global += other.global;
    return *this;
  }
};

/// Estimate for `op`; operations of other dialects that are not known cost one
/// instruction.
OperationCost costOf(mlir::Operation *op);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_OPERATIONCOST_H
