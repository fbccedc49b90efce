// Loops over header arrays.

#ifndef KARAKAL_PASSES_PAC_PACUNROLL_H
#define KARAKAL_PASSES_PAC_PACUNROLL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::passes::pac {

/// Unrolls loops with a constant number of rounds in which an element of a
/// header array has a variable index. Returns how many.
unsigned unrollLoops(mlir::func::FuncOp function);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACUNROLL_H
