// Copies of paths on which the head is known.

#ifndef KARAKAL_PASSES_PAC_PACSPECIALIZE_H
#define KARAKAL_PASSES_PAC_PACSPECIALIZE_H

#include "passes/pac/PacPlan.h"

namespace karakal::passes::pac {

/// Copies paths so that frequent packets keep their anchor. Stops before the
/// function has more than `operationsMax` operations. Returns the number of
/// edges that got a path of their own.
unsigned specializePaths(mlir::func::FuncOp function, unsigned operationsMax);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACSPECIALIZE_H
