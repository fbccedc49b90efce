// Reads of header arrays at a variable but likely index.

#ifndef KARAKAL_PASSES_PAC_PACLIKELYINDICES_H
#define KARAKAL_PASSES_PAC_PACLIKELYINDICES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::passes::pac {

/// Splits reads of header arrays at a variable index into a read at the
/// constant index that the smallest header has, and a read at any other index.
/// Returns the number of reads split.
unsigned splitLikelyIndices(mlir::func::FuncOp function);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACLIKELYINDICES_H
