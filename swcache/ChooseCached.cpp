// The choice of look-up functions and large arrays to cache.
//
// A hit saves the latency of the loads of a look-up function, or of the burst
// that reads an element. Every access costs a CAM look-up and a read of local
// memory; a miss costs a second CAM look-up and two writes. One candidate alone
// uses all sixteen entries of the CAM, with its whole key as the tag. Several
// candidates share the entries: the highest bits of the tag identify the
// candidate, so their keys must leave these bits free, and each is assumed to
// have its share of the entries. The set with the highest gain is chosen.
//
// A direct-mapped cache needs no CAM and can have more lines, but two elements
// with the same lowest index bits evict each other. A cache of n such lines is
// assumed to hit as often as an LRU cache of n / 4 entries.

#include "swcache/ChooseCached.h"

#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "support/Assert.h"
#include "swcache/Caches.h"
#include "target-ixp/chip/MemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Cycles of a CAM look-up with the read of a cached value, and of filling an
/// entry, in the code that baker-make-lookup-caches and baker-make-caches make.
constexpr double hitCycles = 10, missCycles = 20;
/// The most candidates that share the CAM. With fewer entries hardly any hits.
constexpr uint32_t sharesMax = 4;
constexpr unsigned wordBits = 32;
/// The most words of an element, so that one command fills a cache line.
constexpr uint64_t cacheLineWordsMax = 8;
/// Numbers of cache lines that a direct-mapped cache can have.
constexpr uint32_t directSizes[] = {64, 32, 16};

using Hits = std::array<uint64_t, ir::localitySizes.size()>;

double hitsOf(const Hits &hits, uint32_t entries) {
  const auto *size = llvm::find(ir::localitySizes, entries);
  KARAKAL_ASSERT(size != ir::localitySizes.end(),
                 "the profile counts hits for this number of entries");
  return double(hits[size - ir::localitySizes.begin()]);
}

/// Returns how many accesses of the profile hit in an LRU cache of `entries`.
double hitCountOf(const CacheCandidate &candidate, double probes,
                  uint32_t entries) {
  if (candidate.lookup)
    return hitsOf(*ir::lookupHitsOf(candidate.lookup), entries);
  auto profile = *ir::profileOf(candidate.array);
  double misses = double(profile.reads) - hitsOf(profile.hits, entries);
  return std::max(probes - misses, 0.0);
}

/// Sets what a cache with `entries` entries gains over a profile of `packets`.
void setGain(CacheCandidate &candidate, double packets, uint32_t entries) {
  double probes = candidate.probes * packets;
  KARAKAL_ASSERT(probes > 0, "a candidate is accessed in the profile");
  candidate.entries = entries;
  candidate.hitRate = hitCountOf(candidate, probes, entries) / probes;
  candidate.gain =
      cacheGain(candidate.latency, candidate.probes, candidate.hitRate);
}

/// Returns the word for accesses of the candidate, for explanations.
const char *readsName(const CacheCandidate &candidate) {
  return candidate.lookup ? "calls" : "loads";
}

/// Returns the reason why the candidate cannot be cached at all, or an empty
/// string. In the latter case it fills the rates.
std::string refusalOf(CacheCandidate &candidate, const GlobalUses &uses,
                      unsigned contexts) {
  candidate.rates.errorMax = 1;
  candidate.latency = 0;
  for (ir::GlobalOp global : candidate.globals) {
    if (std::string refusal = uses.refusalToCache(global); !refusal.empty())
      return "of @" + global.getSymName().str() + ", " + refusal;
    AccessRates rates = uses.ratesOf(global);
    candidate.latency += (candidate.lookup ? rates.load : candidate.probes) *
                         GlobalUses::latencyOf(global);
    candidate.rates.store += rates.store;
    candidate.rates.errorMax =
        std::min(candidate.rates.errorMax, rates.errorMax);
  }
  candidate.interval = checkInterval(candidate.rates);
  return refusalByRates(candidate.rates, contexts, readsName(candidate));
}

std::string doesNotPay(const CacheCandidate &candidate) {
  return llvm::formatv("{0} cached {1} would serve {2:f2} of {3:f2} {4} per "
                       "packet: the cache costs more than that saves",
                       candidate.entries,
                       candidate.lookup ? "results" : "elements",
                       candidate.hitRate * candidate.probes, candidate.probes,
                       readsName(candidate));
}

/// As refusalOf, for a look-up function that has all CAM entries.
std::string refusalOfLookup(CacheCandidate &candidate, const GlobalUses &uses,
                            unsigned contexts) {
  auto profile = ir::profileOf(candidate.lookup);
  if (!profile || !ir::lookupHitsOf(candidate.lookup) || profile->packets == 0)
    return "no packet of the profile calls it";
  candidate.probes = candidate.rates.load =
      double(profile->packets) / uses.packets();
  if (std::string reason = refusalOf(candidate, uses, contexts);
      !reason.empty())
    return reason;
  setGain(candidate, uses.packets(), target::CamEntries);
  return candidate.gain > 0 ? "" : doesNotPay(candidate);
}

/// Returns how often packets read an element. Of consecutive loads of the
/// element's scalars only the first counts: its burst reads the others.
double visitsOf(const ir::GlobalProfile &profile, Type element) {
  double scalars = double(ir::scalarCount(element));
  double reads = double(profile.reads);
  return scalars == 1
             ? reads
             : std::max(reads / scalars, reads - hitsOf(profile.hits, 1));
}

/// As refusalOf, for an array.
std::string refusalOfArray(CacheCandidate &candidate, const GlobalUses &uses,
                           unsigned contexts) {
  if (uint64_t words = ir::wordCount(candidate.element());
      words > cacheLineWordsMax)
    return llvm::formatv("an element has {0} words, a burst at most {1}", words,
                         cacheLineWordsMax);
  candidate.probes =
      visitsOf(*ir::profileOf(candidate.array), candidate.element()) /
      uses.packets();
  candidate.rates.load = uses.ratesOf(candidate.array).load;
  return refusalOf(candidate, uses, contexts);
}

/// Returns the arrays of which packets read more than `words` words.
std::vector<CacheCandidate> largeArrays(ModuleOp module, uint32_t words) {
  std::vector<CacheCandidate> arrays;
  for (auto global : module.getOps<ir::GlobalOp>()) {
    auto profile = ir::profileOf(global);
    if (!isa<ir::ArrayType>(global.getType()) || !profile ||
        profile->reads == 0 || !ir::placementOf(global) ||
        std::min(profile->extent, ir::wordCount(global.getType())) <= words)
      continue;
    CacheCandidate candidate;
    candidate.array = global;
    candidate.globals.insert(global);
    arrays.push_back(std::move(candidate));
  }
  return arrays;
}

bool overlap(const CacheCandidate &a, const CacheCandidate &b) {
  return llvm::any_of(a.globals, [&](ir::GlobalOp global) {
    return b.globals.contains(global);
  });
}

/// Chooses from `possible` greedily by gain, at most `parts` candidates in
/// `words` words, each with 1 / `parts` of the CAM entries.
std::vector<CacheCandidate> bestOf(std::vector<CacheCandidate> possible,
                                   double packets, uint32_t parts,
                                   uint32_t words) {
  const unsigned tagBits = llvm::Log2_32(parts);
  llvm::erase_if(possible, [&](CacheCandidate &candidate) {
    setGain(candidate, packets, target::CamEntries / parts);
    return candidate.gain <= 0 || candidate.keyBits() + tagBits > wordBits;
  });
  std::multimap<double, CacheCandidate *, std::greater<>> byGain;
  for (CacheCandidate &candidate : possible)
    byGain.emplace(candidate.gain, &candidate);
  std::vector<CacheCandidate> best;
  for (auto &[gain, pointer] : byGain) {
    CacheCandidate &candidate = *pointer;
    // A cached look-up rarely loads its globals, so caching those gains
    // nothing.
    if (best.size() == parts || candidate.localWords() > words ||
        llvm::any_of(best, [&](const CacheCandidate &other) {
          return (candidate.array || other.array) && overlap(candidate, other);
        }))
      continue;
    words -= candidate.localWords();
    candidate.tag =
        parts == 1 ? 0 : uint32_t(best.size()) << (wordBits - tagBits);
    best.push_back(std::move(candidate));
  }
  return best;
}

double gainOf(const std::vector<CacheCandidate> &all) {
  double gain = 0;
  for (const CacheCandidate &candidate : all)
    gain += candidate.gain;
  return gain;
}

} // namespace

double cacheGain(double latency, double probes, double hitRate) {
  return hitRate * latency - probes * (hitCycles + (1 - hitRate) * missCycles);
}

Operation *CacheCandidate::op() const {
  func::FuncOp function = lookup;
  ir::GlobalOp global = array;
  return global ? global.getOperation() : function.getOperation();
}

Type CacheCandidate::element() const {
  ir::GlobalOp global = array;
  return global ? cast<ir::ArrayType>(global.getType()).getElementType()
                : Type();
}

unsigned CacheCandidate::keyBits() const {
  func::FuncOp function = lookup;
  if (function)
    return function.getArgumentTypes()[0].getIntOrFloatBitWidth();
  ir::GlobalOp global = array;
  return llvm::Log2_64_Ceil(cast<ir::ArrayType>(global.getType()).getSize());
}

uint32_t CacheCandidate::localWords() const {
  return (isDirectMapped ? entries : target::CamEntries) * entryWords;
}

CacheChoice chooseCamCaches(ModuleOp module, const GlobalUses &uses,
                            const CacheOptions &options) {
  KARAKAL_ASSERT(uses.packets() != 0, "caches are chosen by a profile");
  CacheChoice choice;
  std::vector<CacheCandidate> possible, &best = choice.chosen;
  if (options.lookups)
    for (func::FuncOp function : ir::lookupsOf(module)) {
      CacheCandidate candidate;
      candidate.lookup = function;
      candidate.globals = ir::globalsOf(function);
      std::string refusal = refusalOfLookup(candidate, uses, options.contexts);
      if (refusal.empty())
        possible.push_back(std::move(candidate));
      else
        choice.refused.push_back({std::move(candidate), refusal});
    }
  if (options.lines)
    for (CacheCandidate &candidate : largeArrays(module, options.wholeWords)) {
      std::string refusal = refusalOfArray(candidate, uses, options.contexts);
      if (refusal.empty()) {
        candidate.entryWords =
            uint32_t(llvm::PowerOf2Ceil(ir::wordCount(candidate.element())));
        setGain(candidate, uses.packets(), target::CamEntries);
        if (candidate.gain <= 0)
          refusal = doesNotPay(candidate);
      }
      if (refusal.empty())
        possible.push_back(std::move(candidate));
      else
        choice.refused.push_back({std::move(candidate), refusal});
    }
  for (uint32_t parts = 1; parts <= sharesMax; parts *= 2)
    if (auto shared = bestOf(possible, uses.packets(), parts, options.words);
        gainOf(shared) > gainOf(best))
      best = std::move(shared);
  for (const CacheCandidate &candidate : possible)
    if (llvm::none_of(best, [&](const CacheCandidate &chosen) {
          return chosen.op() == candidate.op();
        }))
      choice.refused.push_back(
          {candidate,
           "others save more, and all share the entries of one CAM"});
  KARAKAL_ASSERT(choice.chosen.size() <= sharesMax,
                 "few candidates share the CAM");
  return choice;
}

std::optional<CacheCandidate>
chooseDirectMapped(ModuleOp module, const GlobalUses &uses,
                   const CacheOptions &options,
                   const DenseSet<Operation *> &taken) {
  KARAKAL_ASSERT(uses.packets() != 0, "caches are chosen by a profile");
  std::optional<CacheCandidate> best;
  for (CacheCandidate &candidate : largeArrays(module, options.wholeWords)) {
    if (taken.contains(candidate.array) ||
        !refusalOfArray(candidate, uses, options.contexts).empty())
      continue;
    candidate.isDirectMapped = true;
    candidate.entryWords =
        uint32_t(llvm::PowerOf2Ceil(ir::wordCount(candidate.element()) + 1));
    for (uint32_t lines : directSizes) {
      setGain(candidate, uses.packets(), lines / cacheLinesPerCamEntry);
      candidate.entries = lines;
      if (candidate.localWords() <= options.words &&
          candidate.gain > (best ? best->gain : 0))
        best = candidate;
    }
  }
  return best;
}

ir::ArrayType cacheArrayType(const CacheCandidate &candidate) {
  MLIRContext *context = candidate.op()->getContext();
  Type word = IntegerType::get(context, wordBits);
  if (candidate.lookup)
    return ir::ArrayType::get(context, target::CamEntries, word);
  Type element = candidate.element();
  SmallVector<StringAttr> names = {
      StringAttr::get(context, cacheLineEntryName)};
  SmallVector<Type> types = {element};
  uint64_t words = ir::wordCount(element);
  if (candidate.isDirectMapped) {
    names.push_back(StringAttr::get(context, cacheLineTagName));
    types.push_back(word);
    ++words;
  }
  KARAKAL_ASSERT(words <= candidate.entryWords &&
                     llvm::isPowerOf2_32(candidate.entryWords),
                 "a cache line's size is a power of two and holds the element");
  if (words < candidate.entryWords) {
    names.push_back(StringAttr::get(context, "unused"));
    types.push_back(
        ir::ArrayType::get(context, candidate.entryWords - words, word));
  }
  auto line = ir::StructType::get(context, cacheLineTypeName, names, types);
  return ir::ArrayType::get(
      context,
      candidate.isDirectMapped ? candidate.entries : target::CamEntries, line);
}

} // namespace karakal::swcache
