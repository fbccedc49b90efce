// Which globals get a copy.
//
// A global is a candidate if packets read it, if no PPF reads it to write it,
// if it fits local memory, and if equation 2 asks for at most one look a
// packet. Of an array the first elements suffice that the profile's packets
// read; others are read at home. What a copy saves is the latency of its loads;
// what it costs is words of local memory, and looks at version words, as often
// as the candidate that needs them most. So for each interval that some
// candidate needs, the candidates that are content with it are packed into
// local memory (a knapsack, solved exactly by its words), and the interval that
// saves most is taken.
//
// Cost: candidates * words of local memory * candidates.

#include "swcache/ChooseCopies.h"

#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "target-ixp/chip/ChipParameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Cycles of an engine that a load of a copy takes more than one at home, which
/// is a command and a swap; and that an array takes whose copy is shorter:
/// compare and branch, and a jump over the load at home.
constexpr double copyCycles = 4, rangeCycles = 2, jumpCycles = 3;
/// Instructions a packet for the count down to the next look.
constexpr double countCycles = 3;

/// The type of a copy with the elements that begin before word `extent`.
Type typeOfCopy(Type type, uint64_t extent) {
  auto array = dyn_cast<ir::ArrayType>(type);
  // A global of one entry: the extent tells nothing of its elements.
  if (!array || extent == 0 || ir::wordCount(type) <= ir::localityEntryWordsMax)
    return type;
  uint64_t stride = ir::elementWordStride(array);
  uint64_t elements = (extent + stride - 1) / stride;
  if (elements >= array.getSize())
    return type;
  return ir::ArrayType::get(type.getContext(), elements,
                            array.getElementType());
}

/// Cycles of an engine that one load saves if a copy serves it.
double savedByLoad(ir::GlobalOp global) {
  return (GlobalUses::latencyOf(global) - localCycles) / target::ContextCount -
         copyCycles;
}

/// Cycles of an engine, a packet, if the copy serves this share of the loads.
double savedBy(const Candidate &candidate, double share) {
  ir::GlobalOp global = candidate.global;
  bool isShorter = candidate.type != global.getType();
  return candidate.rates.load * (share * savedByLoad(global) -
                                 (isShorter || share < 1 ? rangeCycles : 0) -
                                 (share < 1 ? jumpCycles : 0));
}

/// The share of the loads that the copy of a part of an array must serve.
double leastShare(ir::GlobalOp global) {
  return (rangeCycles + jumpCycles) / savedByLoad(global);
}

/// The best set among those that are content with `interval`.
Choice pack(const std::vector<Candidate> &candidates, uint64_t interval,
            uint64_t words) {
  std::vector<Choice> best(words + 1);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate &candidate = candidates[i];
    if (candidate.interval < interval)
      continue;
    for (uint64_t room = words; room >= candidate.words; --room) {
      const Choice &without = best[room - candidate.words];
      if (without.gain + candidate.gain <= best[room].gain)
        continue;
      Choice with = without;
      with.chosen.push_back(i);
      with.gain += candidate.gain;
      with.interval = std::min(with.interval, candidate.interval);
      best[room] = std::move(with);
    }
  }
  return best[words];
}

/// Adds to `choice` as many elements of one more array as there is room for,
/// if that saves anything: those that packets read are taken to be read alike.
void fillUp(const std::vector<Candidate> &candidates, uint64_t interval,
            uint64_t words, Choice &choice) {
  uint64_t room = words;
  for (size_t i : choice.chosen)
    room -= candidates[i].words;
  std::optional<size_t> best;
  uint64_t bestElements = 0;
  double most = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate &candidate = candidates[i];
    auto array = dyn_cast<ir::ArrayType>(candidate.type);
    if (!array || candidate.interval < interval ||
        llvm::is_contained(choice.chosen, i))
      continue;
    uint64_t elements = room / ir::elementWordStride(array);
    double gain =
        savedBy(candidate, double(elements) / double(array.getSize()));
    if (elements >= array.getSize() || gain <= most)
      continue;
    most = gain;
    best = i;
    bestElements = elements;
  }
  if (!best)
    return;
  choice.chosen.push_back(*best);
  choice.lastElements = bestElements;
  choice.gain += most;
  choice.interval = std::min(choice.interval, candidates[*best].interval);
}

/// Cycles a packet that looks cost.
double lookCycles(const std::vector<Candidate> &candidates,
                  const Choice &choice, unsigned engines) {
  bool isWritten = llvm::any_of(
      choice.chosen, [&](size_t i) { return candidates[i].rates.store > 0; });
  if (!isWritten)
    return 0;
  uint64_t packets =
      intervalOfContext(choice.interval, engines, target::ContextCount);
  return countCycles + double(target::ChipParameters().sramLatency) /
                           (target::ContextCount * double(packets));
}

} // namespace

std::string refusalToCopy(ir::GlobalOp global, const GlobalUses &uses,
                          uint64_t words, unsigned contexts,
                          Candidate &candidate) {
  std::optional<ir::GlobalProfile> profile = ir::profileOf(global);
  if (!profile || uses.packets() == 0)
    return "there is no profile";
  candidate.global = global;
  candidate.type = typeOfCopy(global.getType(), profile->extent);
  candidate.words = ir::wordCount(candidate.type);
  if (profile->reads == 0)
    return "no packet of the profile reads it";
  if (std::string reason = uses.refusalToKeep(global); !reason.empty())
    return reason;
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

Choice chooseCopies(const std::vector<Candidate> &candidates, uint64_t words,
                    unsigned engines) {
  Choice best;
  double most = 0;
  for (const Candidate &candidate : candidates) {
    Choice choice = pack(candidates, candidate.interval, words);
    fillUp(candidates, candidate.interval, words, choice);
    double net = choice.gain - lookCycles(candidates, choice, engines);
    if (net > most) {
      most = net;
      best = std::move(choice);
    }
  }
  return best;
}

void shortenLast(const Choice &choice, std::vector<Candidate> &candidates) {
  if (choice.lastElements == 0)
    return;
  Candidate &last = candidates[choice.chosen.back()];
  auto array = cast<ir::ArrayType>(last.type);
  last.latency *= double(choice.lastElements) / double(array.getSize());
  last.type = ir::ArrayType::get(array.getContext(), choice.lastElements,
                                 array.getElementType());
  last.words = ir::wordCount(last.type);
}

} // namespace karakal::swcache
