// Which results and elements to keep.
//
// What a hit saves is the latency of the loads that a look-up would make, or of
// the burst that reads an element; what every question costs is the CAM and
// local memory, and a miss a second question and two writes. One structure has
// the sixteen entries for itself, with its whole key as the tag. Several share
// them: the tag's highest bits tell which one asks, so that their keys must
// leave these free, and each is taken to find its share of the entries. What
// saves most in all is kept.
//
// Lines that the index's lowest bits choose need no CAM and may be more, but
// two elements that need the same line drive each other out: n of them are
// taken to hit as an LRU cache of n / 4 entries does.

#include "swcache/ChooseCached.h"

#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "swcache/Caches.h"
#include "target-ixp/chip/MemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Cycles of a question to the CAM with the read of an answer, and of keeping
/// one: the words that baker-make-answers and baker-make-caches make.
constexpr double hitCycles = 10, missCycles = 20;
/// Most structures that share the CAM: fewer entries hardly ever hit.
constexpr uint32_t sharesMax = 4;
constexpr unsigned wordBits = 32;
/// Words of an element, so that one command fills a line.
constexpr uint64_t lineWordsMax = 8;
/// Counts of lines without the CAM.
constexpr uint32_t directSizes[] = {64, 32, 16};

using Hits = std::array<uint64_t, ir::localitySizes.size()>;

double hitsOf(const Hits &hits, uint32_t entries) {
  const auto *size = llvm::find(ir::localitySizes, entries);
  return double(hits[size - ir::localitySizes.begin()]);
}

/// Questions that would be hits in a cache of `entries`, over all packets.
double servedOf(const Kept &kept, double asked, uint32_t entries) {
  if (kept.lookup)
    return hitsOf(*ir::lookupHitsOf(kept.lookup), entries);
  auto profile = *ir::profileOf(kept.array);
  double misses = double(profile.reads) - hitsOf(profile.hits, entries);
  return std::max(asked - misses, 0.0);
}

/// Sets what keeping results or elements in so many entries brings.
void setGain(Kept &kept, double packets, uint32_t entries) {
  kept.entries = entries;
  double asked = kept.asked * packets;
  kept.hitRate = servedOf(kept, asked, entries) / asked;
  kept.gain = kept.hitRate * kept.latency -
              kept.asked * (hitCycles + (1 - kept.hitRate) * missCycles);
}

/// How a question is called, and what is kept.
const char *asksOf(const Kept &kept) { return kept.lookup ? "calls" : "loads"; }

/// Why `kept` cannot be kept, whatever caches it; empty if it can, with the
/// rates filled.
std::string refusalOf(Kept &kept, const GlobalUses &uses, unsigned contexts) {
  kept.rates.errorMax = 1;
  kept.latency = 0;
  for (ir::GlobalOp global : kept.globals) {
    if (std::string refusal = uses.refusalToKeep(global); !refusal.empty())
      return "of @" + global.getSymName().str() + ", " + refusal;
    AccessRates rates = uses.ratesOf(global);
    kept.latency +=
        (kept.lookup ? rates.load : kept.asked) * GlobalUses::latencyOf(global);
    kept.rates.store += rates.store;
    kept.rates.errorMax = std::min(kept.rates.errorMax, rates.errorMax);
  }
  kept.interval = checkInterval(kept.rates);
  return refusalByRates(kept.rates, contexts, asksOf(kept));
}

std::string doesNotPay(const Kept &kept) {
  return llvm::formatv("{0} {1} would serve {2:f2} of {3:f2} {4} a packet: "
                       "asking costs more than that saves",
                       kept.entries, kept.lookup ? "results" : "elements",
                       kept.hitRate * kept.asked, kept.asked, asksOf(kept));
}

/// As refusalOf, of a look-up with all entries.
std::string refusalOfLookup(Kept &kept, const GlobalUses &uses,
                            unsigned contexts) {
  auto profile = ir::profileOf(kept.lookup);
  if (!profile || !ir::lookupHitsOf(kept.lookup) || profile->packets == 0)
    return "no packet of the profile asks it";
  kept.asked = kept.rates.load = double(profile->packets) / uses.packets();
  if (std::string reason = refusalOf(kept, uses, contexts); !reason.empty())
    return reason;
  setGain(kept, uses.packets(), target::CamEntries);
  return kept.gain > 0 ? "" : doesNotPay(kept);
}

/// Times that packets come to an element: of loads of an element's scalars one
/// after the other the first counts, the others are in its burst.
double visitsOf(const ir::GlobalProfile &profile, Type element) {
  double scalars = double(ir::scalarCount(element));
  double reads = double(profile.reads);
  return scalars == 1
             ? reads
             : std::max(reads / scalars, reads - hitsOf(profile.hits, 1));
}

/// As refusalOf, of an array.
std::string refusalOfArray(Kept &kept, const GlobalUses &uses,
                           unsigned contexts) {
  if (uint64_t words = ir::wordCount(kept.element()); words > lineWordsMax)
    return llvm::formatv("an element has {0} words, a burst {1}", words,
                         lineWordsMax);
  kept.asked =
      visitsOf(*ir::profileOf(kept.array), kept.element()) / uses.packets();
  kept.rates.load = uses.ratesOf(kept.array).load;
  return refusalOf(kept, uses, contexts);
}

/// Arrays that packets read and that are too large for a whole copy.
std::vector<Kept> largeArrays(ModuleOp module, uint32_t words) {
  std::vector<Kept> arrays;
  for (auto global : module.getOps<ir::GlobalOp>()) {
    auto profile = ir::profileOf(global);
    if (!isa<ir::ArrayType>(global.getType()) || !profile ||
        profile->reads == 0 || !ir::placeOf(global) ||
        std::min(profile->extent, ir::wordCount(global.getType())) <= words)
      continue;
    Kept kept;
    kept.array = global;
    kept.globals.insert(global);
    arrays.push_back(std::move(kept));
  }
  return arrays;
}

bool overlap(const Kept &a, const Kept &b) {
  return llvm::any_of(a.globals, [&](ir::GlobalOp global) {
    return b.globals.contains(global);
  });
}

/// The best of `possible` of which each has a `parts`-th of the entries.
std::vector<Kept> bestOf(std::vector<Kept> possible, double packets,
                         uint32_t parts, uint32_t words) {
  const unsigned tagBits = llvm::Log2_32(parts);
  llvm::erase_if(possible, [&](Kept &kept) {
    setGain(kept, packets, target::CamEntries / parts);
    return kept.gain <= 0 || kept.keyBits() + tagBits > wordBits;
  });
  std::multimap<double, Kept *, std::greater<>> byGain;
  for (Kept &kept : possible)
    byGain.emplace(kept.gain, &kept);
  std::vector<Kept> best;
  for (auto &[gain, place] : byGain) {
    Kept &kept = *place;
    // What a look-up keeps, it no longer reads.
    if (best.size() == parts || kept.localWords() > words ||
        llvm::any_of(best, [&](const Kept &other) {
          return (kept.array || other.array) && overlap(kept, other);
        }))
      continue;
    words -= kept.localWords();
    kept.tag = parts == 1 ? 0 : uint32_t(best.size()) << (wordBits - tagBits);
    best.push_back(std::move(kept));
  }
  return best;
}

double gainOf(const std::vector<Kept> &all) {
  double gain = 0;
  for (const Kept &kept : all)
    gain += kept.gain;
  return gain;
}

} // namespace

Operation *Kept::op() const {
  func::FuncOp function = lookup;
  ir::GlobalOp global = array;
  return global ? global.getOperation() : function.getOperation();
}

Type Kept::element() const {
  ir::GlobalOp global = array;
  return global ? cast<ir::ArrayType>(global.getType()).getElementType()
                : Type();
}

unsigned Kept::keyBits() const {
  func::FuncOp function = lookup;
  if (function)
    return function.getArgumentTypes()[0].getIntOrFloatBitWidth();
  ir::GlobalOp global = array;
  return llvm::Log2_64_Ceil(cast<ir::ArrayType>(global.getType()).getSize());
}

uint32_t Kept::localWords() const {
  return (isDirect ? entries : target::CamEntries) * entryWords;
}

KeptChoice chooseKept(ModuleOp module, const GlobalUses &uses,
                      const KeepOptions &options) {
  KeptChoice choice;
  std::vector<Kept> possible, &best = choice.kept;
  if (options.lookups)
    for (func::FuncOp function : ir::lookupsOf(module)) {
      Kept kept;
      kept.lookup = function;
      kept.globals = ir::globalsOf(function);
      std::string refusal = refusalOfLookup(kept, uses, options.contexts);
      if (refusal.empty())
        possible.push_back(std::move(kept));
      else
        choice.refused.push_back({std::move(kept), refusal});
    }
  if (options.lines)
    for (Kept &kept : largeArrays(module, options.wholeWords)) {
      std::string refusal = refusalOfArray(kept, uses, options.contexts);
      if (refusal.empty()) {
        kept.entryWords =
            uint32_t(llvm::PowerOf2Ceil(ir::wordCount(kept.element())));
        setGain(kept, uses.packets(), target::CamEntries);
        if (kept.gain <= 0)
          refusal = doesNotPay(kept);
      }
      if (refusal.empty())
        possible.push_back(std::move(kept));
      else
        choice.refused.push_back({std::move(kept), refusal});
    }
  for (uint32_t parts = 1; parts <= sharesMax; parts *= 2)
    if (auto shared = bestOf(possible, uses.packets(), parts, options.words);
        gainOf(shared) > gainOf(best))
      best = std::move(shared);
  for (const Kept &kept : possible)
    if (llvm::none_of(
            best, [&](const Kept &chosen) { return chosen.op() == kept.op(); }))
      choice.refused.push_back(
          {kept, "others save more, and all share the entries of one CAM"});
  return choice;
}

std::optional<Kept> chooseDirect(ModuleOp module, const GlobalUses &uses,
                                 const KeepOptions &options,
                                 const DenseSet<Operation *> &taken) {
  std::optional<Kept> best;
  for (Kept &kept : largeArrays(module, options.wholeWords)) {
    if (taken.contains(kept.array) ||
        !refusalOfArray(kept, uses, options.contexts).empty())
      continue;
    kept.isDirect = true;
    kept.entryWords =
        uint32_t(llvm::PowerOf2Ceil(ir::wordCount(kept.element()) + 1));
    for (uint32_t lines : directSizes) {
      setGain(kept, uses.packets(), lines / linesAnEntry);
      kept.entries = lines;
      if (kept.localWords() <= options.words &&
          kept.gain > (best ? best->gain : 0))
        best = kept;
    }
  }
  return best;
}

ir::ArrayType keptType(const Kept &kept) {
  MLIRContext *context = kept.op()->getContext();
  Type word = IntegerType::get(context, wordBits);
  if (kept.lookup)
    return ir::ArrayType::get(context, target::CamEntries, word);
  Type element = kept.element();
  SmallVector<StringAttr> names = {StringAttr::get(context, lineEntryName)};
  SmallVector<Type> types = {element};
  uint64_t words = ir::wordCount(element);
  if (kept.isDirect) {
    names.push_back(StringAttr::get(context, lineTagName));
    types.push_back(word);
    ++words;
  }
  if (words < kept.entryWords) {
    names.push_back(StringAttr::get(context, "unused"));
    types.push_back(ir::ArrayType::get(context, kept.entryWords - words, word));
  }
  auto line = ir::StructType::get(context, lineTypeName, names, types);
  return ir::ArrayType::get(
      context, kept.isDirect ? kept.entries : target::CamEntries, line);
}

} // namespace karakal::swcache
