// Copies of paths on which the head is known.

#ifndef KARAKAL_PASSES_PAC_PACSPECIALIZE_H
#define KARAKAL_PASSES_PAC_PACSPECIALIZE_H

#include "passes/pac/PacPlan.h"

namespace karakal::passes::pac {

/// How much copies may make of a function.
struct CopyLimits {
  /// The most operations that it has then, ...
  unsigned operations;
  /// ... or that are added, if it is the code of rare PPFs.
  unsigned rareCopies;
};

/// Copies paths so that packets keep their anchor. Returns the operations of
/// the paths that `limits` leave uncopied, if it is the code of rare PPFs.
unsigned specializePaths(mlir::func::FuncOp function, CopyLimits limits);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACSPECIALIZE_H
