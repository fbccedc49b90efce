// Unrolling of loops over header arrays.

#ifndef KARAKAL_PASSES_PAC_PACUNROLL_H
#define KARAKAL_PASSES_PAC_PACUNROLL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::passes::pac {

/// Unrolls loops with a constant number of iterations that access elements of a
/// header array at a variable index. Returns the number of loops.
unsigned unrollLoops(mlir::func::FuncOp function);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACUNROLL_H
