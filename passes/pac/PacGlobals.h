// Combine accesses of global data.

#ifndef KARAKAL_PASSES_PAC_PACGLOBALS_H
#define KARAKAL_PASSES_PAC_PACGLOBALS_H

#include "passes/pac/PacPlan.h"

namespace karakal::passes::pac {

/// Words of one SRAM command.
inline constexpr uint32_t burstWordsMax = 8;

struct GlobalCounts {
  unsigned commands = 0; ///< bursts made
  unsigned accesses = 0; ///< loads or stores that they serve
};

/// The object that a reference of constant path lies in, and the word there.
std::pair<mlir::Value, uint32_t> objectOf(mlir::Value ref);

/// Combines loads of words of one object into bursts.
GlobalCounts combineLoads(mlir::func::FuncOp function,
                          mlir::DominanceInfo &dominance,
                          const Frequencies &frequencies);

/// Combines stores to neighbouring words of one object into bursts.
GlobalCounts combineStores(mlir::func::FuncOp function);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACGLOBALS_H
