//===- PlanAnswers.cpp - which look-up's results to keep ------------------===//
//
// A CAM of sixteen entries serves one look-up: its tags are whole words. What a
// hit saves is the latency of the loads that the look-up would make; what every
// call pays is a question to the CAM, and a miss a second one and two writes.
//
//===----------------------------------------------------------------------===//

#include "swcache/PlanAnswers.h"

#include "ir/Explain.h"
#include "ir/Profile.h"
#include "target-ixp/MemoryMap.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Cycles of a question to the CAM with the read of an answer, and of keeping
/// one: the words that baker-make-answers makes.
constexpr double hitCycles = 10, missCycles = 20;

/// Why `kept` cannot be kept; empty if it can, with the rest of it filled.
std::string refusalOf(KeptLookup &kept, double packets,
                      const std::function<LookedUp(ir::GlobalOp)> &describe) {
  auto profile = ir::profileOf(kept.function);
  auto answers = ir::lookupHitsOf(kept.function);
  if (!profile || !answers || profile->packets == 0)
    return "no packet of the profile asks it";
  double calls = double(profile->packets), latency = 0;
  kept.rates.load = calls / packets;
  kept.rates.errorMax = 1;
  for (ir::GlobalOp global : kept.globals) {
    LookedUp looked = describe(global);
    if (!looked.refusal.empty())
      return "of @" + global.getSymName().str() + ", " + looked.refusal;
    latency += looked.loads * looked.latency;
    kept.rates.store += looked.stores;
    kept.rates.errorMax = std::min(kept.rates.errorMax, looked.errorMax);
  }
  const auto *size = llvm::find(ir::localitySizes, target::CamEntries);
  kept.hitRate = double((*answers)[size - ir::localitySizes.begin()]) / calls;
  kept.interval = checkInterval(kept.rates);
  if (kept.interval == 0)
    return llvm::formatv("{0:e2} stores and {1:f2} calls a packet with at most "
                         "{2:e2} stale packets need {3:f2} looks a packet",
                         kept.rates.store, kept.rates.load, kept.rates.errorMax,
                         leastCheckRate(kept.rates));
  kept.gain = kept.hitRate * latency -
              kept.rates.load * (hitCycles + (1 - kept.hitRate) * missCycles);
  if (kept.gain <= 0)
    return llvm::formatv("{0} results would know {1:f2} of {2:f2} calls a "
                         "packet: asking costs more than that saves",
                         target::CamEntries, kept.hitRate, kept.rates.load);
  return "";
}

} // namespace

std::optional<KeptLookup>
chooseLookup(ModuleOp module, double packets, StringRef pass,
             std::function<LookedUp(ir::GlobalOp)> describe) {
  std::optional<KeptLookup> best;
  for (func::FuncOp function : ir::lookupsOf(module)) {
    KeptLookup kept;
    kept.function = function;
    kept.globals = ir::globalsOf(function);
    std::string refusal = refusalOf(kept, packets, describe);
    if (refusal.empty() && best && best->gain >= kept.gain)
      refusal = "the results of @" + best->function.getSymName().str() +
                " save more, and there is one CAM";
    if (!refusal.empty()) {
      ir::explain(function, pass) << "results of @" << function.getSymName()
                                  << " not kept: " << refusal;
      continue;
    }
    if (best)
      ir::explain(best->function, pass)
          << "results of @" << best->function.getSymName()
          << " not kept: those of @" << function.getSymName()
          << " save more, and there is one CAM";
    best = std::move(kept);
  }
  return best;
}

} // namespace karakal::swcache
