// Look-up functions, whose results can be cached.
//
// A look-up reads nothing but global data, so its result depends only on its
// argument and on that data. The result can be reused for the next call with
// the same argument until the data changes. The profiler counts how often a
// cache would hit; swcache/ makes the caches.

#ifndef KARAKAL_IR_ANALYSIS_LOOKUPS_H
#define KARAKAL_IR_ANALYSIS_LOOKUPS_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace karakal::ir {

/// Whether `function` is a look-up: one integer argument of at most 32 bits,
/// one such result, and a body of arithmetic, branches and loads of global data
/// (at least one) without calls.
bool isLookup(mlir::func::FuncOp function);

/// Returns the look-ups of a program in the order of their definition.
llvm::SmallVector<mlir::func::FuncOp> lookupsOf(mlir::ModuleOp module);

/// Returns the globals that a look-up loads.
llvm::SetVector<GlobalOp> globalsOf(mlir::func::FuncOp lookup);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_LOOKUPS_H
