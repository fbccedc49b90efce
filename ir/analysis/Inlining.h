// Replacing a call by the body of its callee.

#ifndef KARAKAL_IR_ANALYSIS_INLINING_H
#define KARAKAL_IR_ANALYSIS_INLINING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::ir {

/// Returns the number of operations in `function`.
unsigned countOperations(mlir::func::FuncOp function);

/// Replaces `call` by the body of `callee`, its returns by branches to what
/// follows the call. Packets stay the same values.
void inlineBody(mlir::func::CallOp call, mlir::func::FuncOp callee);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_INLINING_H
