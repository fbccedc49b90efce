// The mark of programs whose packets keep their order.

#ifndef KARAKAL_IR_ANALYSIS_KEPTORDER_H
#define KARAKAL_IR_ANALYSIS_KEPTORDER_H

#include "mlir/IR/BuiltinOps.h"

namespace karakal::ir {

/// Set on a module: the second words of messages from Rx and to Tx have
/// tickets, by which Tx keeps the order of packets (target-ixp/chip/Order.h).
inline constexpr llvm::StringLiteral orderAttrName = "baker.order.kept";

inline bool keepsOrder(mlir::ModuleOp module) {
  return module->hasAttr(orderAttrName);
}

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_KEPTORDER_H
