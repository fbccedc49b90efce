// Functions whose results can be kept.
//
// A look-up reads global data and nothing else: what it gives depends on its
// argument and on that data alone. So its result can be kept and used for the
// next call with the same argument, as long as the data does not change (the
// profiler counts how often that would serve, swcache/ does it).

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

/// The look-ups of a program in their order.
llvm::SmallVector<mlir::func::FuncOp> lookupsOf(mlir::ModuleOp module);

/// The globals that a look-up loads.
llvm::SetVector<GlobalOp> globalsOf(mlir::func::FuncOp lookup);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_LOOKUPS_H
