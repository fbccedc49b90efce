// Likely indices of header fields.

#ifndef KARAKAL_PASSES_PAC_PACGUESS_H
#define KARAKAL_PASSES_PAC_PACGUESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::passes::pac {

/// Gives reads of header arrays at a variable index a way of their own for the
/// index that the smallest header has. Returns how many.
unsigned guessIndices(mlir::func::FuncOp function);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACGUESS_H
