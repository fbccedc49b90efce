// The choice of globals that get a copy in local memory.
//
// A global is a candidate if packets read it, no PPF writes a value computed
// from it, it fits local memory, and equation 2 needs at most one version check
// per packet. Of an array a copy may hold only the first elements, those that
// packets of the profile read; other elements are read from the global. A copy
// saves the latency of its loads. It costs words of local memory and version
// checks, as often as the candidate with the shortest interval needs them. So
// for the interval of each candidate, all candidates that allow this interval
// are packed into local memory (a knapsack, solved exactly), and the interval
// that saves the most cycles wins.
//
// Cost: candidates^2 * words of local memory.

#include "swcache/ChooseCopies.h"

#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipParameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Engine cycles that a load of a copy takes more than a load of the global,
/// which is a command and a swap. An array with a shorter copy takes further
/// cycles for compare and branch, and for the jump over the load of the global.
constexpr double copyCycles = 4, rangeCycles = 2, jumpCycles = 3;
/// Engine cycles per packet that count down to the next version check.
constexpr double countCycles = 3;

/// Returns the type of a copy with the elements that begin before word
/// `extent`.
Type typeOfCopy(Type type, uint64_t extent) {
  auto array = dyn_cast<ir::ArrayType>(type);
  // The profile has no extent for globals of a single entry.
  if (!array || extent == 0 || ir::wordCount(type) <= ir::localityEntryWordsMax)
    return type;
  uint64_t stride = ir::elementWordStride(array);
  uint64_t elements = (extent + stride - 1) / stride;
  if (elements >= array.getSize())
    return type;
  return ir::ArrayType::get(type.getContext(), elements,
                            array.getElementType());
}

/// Returns the engine cycles that one load saves if it reads a copy.
double savedByLoad(ir::GlobalOp global) {
  return (GlobalUses::latencyOf(global) - localCycles) / target::ContextCount -
         copyCycles;
}

/// Returns the engine cycles saved per packet if `share` of the loads read the
/// copy.
double savedBy(const CopyCandidate &candidate, double share) {
  ir::GlobalOp global = candidate.global;
  bool isShorter = candidate.type != global.getType();
  return candidate.rates.load * (share * savedByLoad(global) -
                                 (isShorter || share < 1 ? rangeCycles : 0) -
                                 (share < 1 ? jumpCycles : 0));
}

/// Returns the share of loads from which a copy of a part of an array gains.
double leastShare(ir::GlobalOp global) {
  return (rangeCycles + jumpCycles) / savedByLoad(global);
}

/// Returns the best set of candidates that allow `interval`.
CopyChoice pack(const std::vector<CopyCandidate> &candidates, uint64_t interval,
                uint64_t words) {
  std::vector<CopyChoice> best(words + 1);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CopyCandidate &candidate = candidates[i];
    if (candidate.interval < interval)
      continue;
    for (uint64_t space = words; space >= candidate.words; --space) {
      const CopyChoice &without = best[space - candidate.words];
      if (without.gain + candidate.gain <= best[space].gain)
        continue;
      CopyChoice with = without;
      with.chosen.push_back(i);
      with.gain += candidate.gain;
      with.interval = std::min(with.interval, candidate.interval);
      best[space] = std::move(with);
    }
  }
  return best[words];
}

/// Adds to `choice` as many elements of one more array as fit, if that saves
/// cycles. It assumes that packets read all elements equally often.
void fillUp(const std::vector<CopyCandidate> &candidates, uint64_t interval,
            uint64_t words, CopyChoice &choice) {
  uint64_t space = words;
  for (size_t i : choice.chosen)
    space -= candidates[i].words;
  auto fitting = [&](const CopyCandidate &candidate) {
    return space / ir::elementWordStride(cast<ir::ArrayType>(candidate.type));
  };
  std::optional<size_t> best;
  double most = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CopyCandidate &candidate = candidates[i];
    auto array = dyn_cast<ir::ArrayType>(candidate.type);
    if (!array || candidate.interval < interval ||
        llvm::is_contained(choice.chosen, i))
      continue;
    uint64_t elements = fitting(candidate);
    double gain =
        savedBy(candidate, double(elements) / double(array.getSize()));
    if (elements >= array.getSize() || gain <= most)
      continue;
    most = gain;
    best = i;
  }
  if (!best)
    return;
  choice.chosen.push_back(*best);
  choice.lastElements = fitting(candidates[*best]);
  choice.gain += most;
  choice.interval = std::min(choice.interval, candidates[*best].interval);
}

/// Returns the engine cycles per packet of version checks.
double checkCycles(const std::vector<CopyCandidate> &candidates,
                   const CopyChoice &choice, unsigned engines,
                   const target::ChipParameters &chip) {
  bool isWritten = llvm::any_of(
      choice.chosen, [&](size_t i) { return candidates[i].rates.store > 0; });
  if (!isWritten)
    return 0;
  uint64_t packets =
      intervalOfContext(choice.interval, engines, target::ContextCount);
  return countCycles +
         double(chip.sramLatency) / (target::ContextCount * double(packets));
}

} // namespace

std::string refusalToCopy(ir::GlobalOp global, const GlobalUses &uses,
                          uint64_t words, unsigned contexts,
                          CopyCandidate &candidate) {
  std::optional<ir::GlobalProfile> profile = ir::profileOf(global);
  if (!profile || uses.packets() == 0)
    return "there is no profile";
  candidate.global = global;
  candidate.type = typeOfCopy(global.getType(), profile->extent);
  candidate.words = ir::wordCount(candidate.type);
  if (profile->reads == 0)
    return "no packet of the profile reads it";
  if (std::string reason = uses.refusalToCache(global); !reason.empty())
    return reason;
  KARAKAL_ASSERT(candidate.words <= ir::wordCount(global.getType()),
                 "a copy is no larger than its global");
  double leastWords = double(candidate.words);
  if (isa<ir::ArrayType>(candidate.type))
    leastWords *= std::min(leastShare(global), 1.0);
  if (leastWords > double(words))
    return llvm::formatv("the {0} words of it that packets read do not fit "
                         "the {1} of local memory",
                         candidate.words, words);
  candidate.rates = uses.ratesOf(global);
  const AccessRates &rates = candidate.rates;
  candidate.interval = checkInterval(rates);
  if (std::string reason = refusalByRates(rates, contexts, "loads");
      !reason.empty())
    return reason;
  candidate.latency =
      rates.load * (GlobalUses::latencyOf(global) - localCycles);
  candidate.gain = savedBy(candidate, 1);
  return "";
}

CopyChoice chooseCopies(const std::vector<CopyCandidate> &candidates,
                        uint64_t words, unsigned engines,
                        const target::ChipParameters &chip) {
  CopyChoice best;
  double most = 0;
  for (const CopyCandidate &candidate : candidates) {
    CopyChoice choice = pack(candidates, candidate.interval, words);
    fillUp(candidates, candidate.interval, words, choice);
    double net = choice.gain - checkCycles(candidates, choice, engines, chip);
    if (net > most) {
      most = net;
      best = std::move(choice);
    }
  }
  return best;
}

void shortenLast(const CopyChoice &choice,
                 std::vector<CopyCandidate> &candidates) {
  if (choice.lastElements == 0)
    return;
  KARAKAL_ASSERT(!choice.chosen.empty(), "the shortened array is chosen");
  CopyCandidate &last = candidates[choice.chosen.back()];
  auto array = cast<ir::ArrayType>(last.type);
  last.latency *= double(choice.lastElements) / double(array.getSize());
  last.type = ir::ArrayType::get(array.getContext(), choice.lastElements,
                                 array.getElementType());
  last.words = ir::wordCount(last.type);
}

} // namespace karakal::swcache
