//===- PacGlobals.h - combine loads of global data --------------*- C++ -*-===//

#ifndef KARAKAL_PASSES_PACGLOBALS_H
#define KARAKAL_PASSES_PACGLOBALS_H

#include "passes/PacPlan.h"

namespace karakal::passes::pac {

struct GlobalCounts {
  unsigned commands = 0; ///< bursts made
  unsigned loads = 0;    ///< loads that they serve
};

/// Combines loads of words of one object into bursts.
GlobalCounts combineLoads(mlir::func::FuncOp function,
                          mlir::DominanceInfo &dominance,
                          const Frequencies &frequencies);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PACGLOBALS_H
