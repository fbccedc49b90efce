//===- PlanAnswers.h - which look-ups' results to keep ---------*- C++ -*-===//

#ifndef KARAKAL_SWCACHE_PLANANSWERS_H
#define KARAKAL_SWCACHE_PLANANSWERS_H

#include "ir/Lookups.h"
#include "swcache/CheckInterval.h"
#include <functional>
#include <vector>

namespace karakal::swcache {

/// A look-up whose results can be kept.
struct KeptLookup {
  mlir::func::FuncOp function;
  llvm::SetVector<ir::GlobalOp> globals; ///< that it loads
  AccessRates rates;     ///< calls, and stores to those globals, a packet
  double latency = 0;    ///< cycles that its loads take, a packet
  uint32_t entries = 0;  ///< of the CAM that it is taken to have
  uint32_t tag = 0;      ///< bits of the tag that tell it from the others
  double hitRate = 0;    ///< of an LRU cache with those entries
  uint64_t interval = 0; ///< packets, equation 2
  double gain = 0;       ///< cycles of memory latency a packet
};

/// What the choice needs to know of a global that a look-up loads.
struct LookedUp {
  std::string refusal; ///< why nothing read from it can be kept; or empty
  double loads = 0, stores = 0; ///< a packet
  double latency = 0;           ///< cycles of one load
  double errorMax = 0;          ///< stale packets tolerated
};

/// The look-ups that save most together, if any saves anything; each
/// refusal is explained in the name of `pass`. `packets`: those of the profile;
/// `contexts`: those of all engines.
std::vector<KeptLookup>
chooseLookups(mlir::ModuleOp module, double packets, unsigned contexts,
              llvm::StringRef pass,
              std::function<LookedUp(ir::GlobalOp)> describe);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_PLANANSWERS_H
