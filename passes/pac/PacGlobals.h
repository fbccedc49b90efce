// Combining of accesses of global data.

#ifndef KARAKAL_PASSES_PAC_PACGLOBALS_H
#define KARAKAL_PASSES_PAC_PACGLOBALS_H

#include "passes/pac/PacPlan.h"

namespace karakal::passes::pac {

/// The most words of one SRAM command.
inline constexpr uint32_t burstWordsMax = 8;

struct GlobalCounts {
  unsigned commands = 0; ///< bursts made
  unsigned accesses = 0; ///< loads or stores that they serve
};

/// Returns the object that a reference with constant indices is in, and the
/// word of the object.
std::pair<mlir::Value, uint32_t> objectOf(mlir::Value ref);

/// Combines loads of words of one object into bursts.
GlobalCounts combineLoads(mlir::func::FuncOp function,
                          mlir::DominanceInfo &dominance,
                          const Frequencies &frequencies);

/// Combines stores to adjacent words of one object into bursts.
GlobalCounts combineStores(mlir::func::FuncOp function);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACGLOBALS_H
