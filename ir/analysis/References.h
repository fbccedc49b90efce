// The globals that references point into.
//
// References cannot be stored or computed with, so a chain of element and field
// operations leads from each reference of a function back to its global.

#ifndef KARAKAL_IR_ANALYSIS_REFERENCES_H
#define KARAKAL_IR_ANALYSIS_REFERENCES_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace karakal::ir {

/// Returns the global at the root of a reference, or null if the chain ends in
/// a block or function argument or names no global.
GlobalOp globalOf(mlir::Value ref);

/// Returns the global that an operation writes, or null.
GlobalOp writtenBy(mlir::Operation &op);

/// Returns the type that a reference refers to.
mlir::Type pointeeOf(mlir::Value ref);

/// Returns `roots` and the functions that they reach by calls, in the order in
/// which they are found.
llvm::SetVector<mlir::func::FuncOp>
reachableFrom(llvm::ArrayRef<mlir::func::FuncOp> roots);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_REFERENCES_H
