// From references back to globals.
//
// References cannot be stored or computed with, so inside a function each one
// leads back to its global by a chain of elements and fields.

#ifndef KARAKAL_IR_ANALYSIS_REFERENCES_H
#define KARAKAL_IR_ANALYSIS_REFERENCES_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace karakal::ir {

/// The global at the root of a reference; null if the chain ends in a block or
/// function argument, or names no global.
GlobalOp globalOf(mlir::Value ref);

/// The type that a reference refers to.
mlir::Type pointeeOf(mlir::Value ref);

/// The functions that `roots` reach by calls, themselves included, in the
/// order in which they are found.
llvm::SetVector<mlir::func::FuncOp>
reachableFrom(llvm::ArrayRef<mlir::func::FuncOp> roots);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_REFERENCES_H
