// A part of a program in the baker dialect.
//
//   PPF a → function f        the part of a: a, f, all globals and channels,
//     ↓ channel               and a declaration of b
//   PPF b → function f        the part of b: b, f, …
//
// A run calls a small share of a large program's functions. To lower and
// compile only the parts that packets and control calls reach takes a fraction
// of the time.

#ifndef KARAKAL_HOST_PARTS_EXTRACTPART_H
#define KARAKAL_HOST_PARTS_EXTRACTPART_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace karakal::host {

/// Copies `functions` and all that they call, with all that is no function. The
/// other PPFs become declarations.
mlir::OwningOpRef<mlir::ModuleOp>
extractPart(mlir::ModuleOp baker, llvm::ArrayRef<mlir::func::FuncOp> functions);

} // namespace karakal::host

#endif // KARAKAL_HOST_PARTS_EXTRACTPART_H
