//===- PlanAnswers.cpp - which look-ups' results to keep ------------------===//
//
// What a hit saves is the latency of the loads that the look-up would make;
// what every call pays is a question to the CAM, and a miss a second one and
// two writes. One look-up has the sixteen entries for itself, with its whole
// argument as the tag. Several share them: the tag's highest bits tell which
// one asks, so that their arguments must leave these free, and each is taken to
// find its share of the entries. What saves most in all is kept.
//
//===----------------------------------------------------------------------===//

#include "swcache/PlanAnswers.h"

#include "ir/Explain.h"
#include "ir/Profile.h"
#include "target-ixp/MemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Cycles of a question to the CAM with the read of an answer, and of keeping
/// one: the words that baker-make-answers makes.
constexpr double hitCycles = 10, missCycles = 20;
/// Most look-ups that share the CAM: fewer entries hardly ever hit.
constexpr uint32_t sharesMax = 4;
constexpr unsigned wordBits = 32;

/// The hits of a cache of `entries`.
double hitsOf(func::FuncOp lookup, uint32_t entries) {
  auto hits = *ir::lookupHitsOf(lookup);
  const auto *size = llvm::find(ir::localitySizes, entries);
  return double(hits[size - ir::localitySizes.begin()]);
}

/// Sets what keeping results in so many entries brings.
void setGain(KeptLookup &kept, uint32_t entries) {
  kept.entries = entries;
  kept.hitRate = hitsOf(kept.function, entries) /
                 double(ir::profileOf(kept.function)->packets);
  kept.gain = kept.hitRate * kept.latency -
              kept.rates.load * (hitCycles + (1 - kept.hitRate) * missCycles);
}

/// Why `kept` cannot be kept; empty if it can, with the rest of it filled for
/// all entries.
std::string refusalOf(KeptLookup &kept, double packets, unsigned contexts,
                      const std::function<LookedUp(ir::GlobalOp)> &describe) {
  auto profile = ir::profileOf(kept.function);
  if (!profile || !ir::lookupHitsOf(kept.function) || profile->packets == 0)
    return "no packet of the profile asks it";
  kept.rates.load = double(profile->packets) / packets;
  kept.rates.errorMax = 1;
  for (ir::GlobalOp global : kept.globals) {
    LookedUp looked = describe(global);
    if (!looked.refusal.empty())
      return "of @" + global.getSymName().str() + ", " + looked.refusal;
    kept.latency += looked.loads * looked.latency;
    kept.rates.store += looked.stores;
    kept.rates.errorMax = std::min(kept.rates.errorMax, looked.errorMax);
  }
  kept.interval = checkInterval(kept.rates);
  if (std::string reason = refusalByRates(kept.rates, contexts, "calls");
      !reason.empty())
    return reason;
  setGain(kept, target::CamEntries);
  if (kept.gain <= 0)
    return llvm::formatv("{0} results would know {1:f2} of {2:f2} calls a "
                         "packet: asking costs more than that saves",
                         target::CamEntries, kept.hitRate, kept.rates.load);
  return "";
}

/// The best look-ups of which each has a `parts`-th of the entries.
std::vector<KeptLookup> bestOf(std::vector<KeptLookup> possible,
                               uint32_t parts) {
  const unsigned tagBits = llvm::Log2_32(parts);
  llvm::erase_if(possible, [&](KeptLookup &kept) {
    setGain(kept, target::CamEntries / parts);
    unsigned width =
        kept.function.getArgumentTypes()[0].getIntOrFloatBitWidth();
    return kept.gain <= 0 || width + tagBits > wordBits;
  });
  llvm::stable_sort(possible, [](const KeptLookup &a, const KeptLookup &b) {
    return a.gain > b.gain;
  });
  if (possible.size() > parts)
    possible.resize(parts);
  for (auto [number, kept] : llvm::enumerate(possible))
    kept.tag = parts == 1 ? 0 : uint32_t(number) << (wordBits - tagBits);
  return possible;
}

double gainOf(const std::vector<KeptLookup> &lookups) {
  double gain = 0;
  for (const KeptLookup &kept : lookups)
    gain += kept.gain;
  return gain;
}

} // namespace

std::vector<KeptLookup>
chooseLookups(ModuleOp module, double packets, unsigned contexts,
              StringRef pass, std::function<LookedUp(ir::GlobalOp)> describe) {
  std::vector<KeptLookup> possible, best;
  auto refuse = [&](func::FuncOp function, const std::string &why) {
    ir::explain(function, pass)
        << "results of @" << function.getSymName() << " not kept: " << why;
  };
  for (func::FuncOp function : ir::lookupsOf(module)) {
    KeptLookup kept;
    kept.function = function;
    kept.globals = ir::globalsOf(function);
    std::string refusal = refusalOf(kept, packets, contexts, describe);
    if (refusal.empty())
      possible.push_back(std::move(kept));
    else
      refuse(function, refusal);
  }
  for (uint32_t parts = 1; parts <= sharesMax; parts *= 2)
    if (auto shared = bestOf(possible, parts); gainOf(shared) > gainOf(best))
      best = std::move(shared);
  for (const KeptLookup &kept : possible)
    if (llvm::none_of(best, [&](const KeptLookup &chosen) {
          return chosen.function == kept.function;
        }))
      refuse(kept.function,
             "others save more, and all share the entries of one CAM");
  return best;
}

} // namespace karakal::swcache
