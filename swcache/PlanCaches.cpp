//===- PlanCaches.cpp - what engines cache --------------------------------===//
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
// Each update is atomic as far as the program's own is: a copy is filled by
// the bursts that a load would use, and the version is raised behind the
// stores of a block. Two scalars that were stored one after the other can be
// seen apart, as they can at home.
//
// Requires: places of globals. Ensures: see Caches.h. Cost: candidates * words
// of local memory * candidates.
//
//===----------------------------------------------------------------------===//

#include "ir/ConstantGlobals.h"
#include "ir/Explain.h"
#include "ir/Layout.h"
#include "ir/Profile.h"
#include "ir/References.h"
#include "ir/Services.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "swcache/Caches.h"
#include "swcache/CheckInterval.h"
#include "swcache/Passes.h"
#include "swcache/PlanAnswers.h"
#include "target-ixp/ChipParameters.h"
#include "target-ixp/MemoryMap.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace karakal::swcache {

#define GEN_PASS_DEF_PLANCACHES
#include "swcache/Passes.h.inc"

namespace {

constexpr StringLiteral passName = "plan-caches";
constexpr uint32_t bytesPerWord = 4;
/// Words for copies: the first line has the lock and the versions seen.
constexpr uint32_t copyWordsMax = target::CacheWords - target::CacheLineWords;
/// Cycles of a load of local memory: pointer, its three slots, the word.
constexpr double localCycles = 5;
/// Cycles of an engine that a load of a copy takes more than one at home, which
/// is a command and a swap; and that an array takes whose copy is shorter:
/// compare and branch, and a jump over the load at home.
constexpr double copyCycles = 4, rangeCycles = 2, jumpCycles = 3;
/// Instructions a packet for the count down to the next look.
constexpr double countCycles = 3;
/// Stores a second that are reckoned with where the program can write but the
/// profile saw none do it.
constexpr double unseenStores = 1;
/// Packets a second of 64 bytes at 2.5 Gbit/s.
constexpr double designPackets = 2.5e9 / (64 * 8);

struct Candidate {
  ir::GlobalOp global;
  Type type; ///< of the copy: the global's, or a shorter array
  uint64_t words = 0;
  AccessRates rates;
  uint64_t interval = 0; ///< packets, equation 2
  double latency = 0;    ///< cycles that loads wait less, a packet
  double gain = 0;       ///< cycles of an engine, a packet
};

/// The candidates that local memory takes, and what they save.
struct Choice {
  std::vector<size_t> chosen;
  /// Elements of the last one, if it is an array of which only they fit; or 0.
  uint64_t lastElements = 0;
  uint64_t interval = packetIntervalMax;
  double gain = 0;
};

class PlanCaches : public impl::PlanCachesBase<PlanCaches> {
public:
  using PlanCachesBase::PlanCachesBase;

private:
  void runOnOperation() override;

  void findWriters();
  double packets();
  std::string refusalToKeep(ir::GlobalOp global);
  AccessRates ratesOf(ir::GlobalOp global);
  static double latencyOf(ir::GlobalOp global);
  static double savedBy(const Candidate &candidate, double share);
  static double leastShare(ir::GlobalOp global);
  void findLocked();
  std::string refusal(ir::GlobalOp global, Candidate &candidate);
  void planAnswers();
  Choice pack(uint64_t interval, uint64_t words) const;
  Choice choose() const;
  void fillUp(uint64_t interval, Choice &choice) const;
  double lookCycles(const Choice &choice) const;
  void carryOut(const Choice &choice);
  void carryOutAnswers(const KeptLookup &chosen);
  ir::GlobalOp addGlobal(const Twine &name, Type type, const ir::Place &place);
  ir::GlobalOp addLocal(const Twine &name, Type type);
  void addVersion(const std::string &memory);
  void raiseIn(func::FuncOp function, const DenseSet<Operation *> &cached);
  void setReason(ir::GlobalOp global, bool isCached, const Twine &reason);

  /// Globals that control functions and the XScale core's PPFs write, and that
  /// PPFs of the engines do.
  DenseSet<Operation *> byControl, byEngines;
  DenseSet<Operation *> readToWrite; ///< by a PPF of the engines
  DenseSet<Operation *> locked;      ///< used where there are critical sections
  std::vector<Candidate> candidates;
  std::vector<KeptLookup> kept;
  uint32_t copyWords = copyWordsMax;
  std::map<std::string, uint32_t> versionAddress; ///< as commands give it
  uint32_t localNext = 0;
};

/// The global that an operation writes, or null.
ir::GlobalOp writtenBy(Operation &op) {
  if (auto store = dyn_cast<ir::StoreOp>(op))
    return ir::globalOf(store.getRef());
  if (auto add = dyn_cast<ir::AtomicAddOp>(op))
    return ir::globalOf(add.getRef());
  return {};
}

/// What PPFs and control functions write is seen late: it raises versions. A
/// PPF that reads what it stores must not make the new value of an old one.
void PlanCaches::findWriters() {
  byControl.clear();
  byEngines.clear();
  readToWrite.clear();
  for (auto root : getOperation().getOps<func::FuncOp>()) {
    bool isPpf = ir::isPpf(root);
    if (!isPpf && ir::kindOf(root) != ir::FunctionKind::Control)
      continue;
    bool isOnEngines = isPpf && !root->hasAttr(ir::coldAttrName);
    DenseSet<Operation *> loaded, stored, written;
    for (func::FuncOp function : ir::reachableFrom(root))
      function.walk([&](Operation *op) {
        if (auto load = dyn_cast<ir::LoadOp>(op))
          loaded.insert(ir::globalOf(load.getRef()));
        else if (auto store = dyn_cast<ir::StoreOp>(op))
          stored.insert(ir::globalOf(store.getRef()));
        if (ir::GlobalOp global = writtenBy(*op))
          written.insert(global);
      });
    for (Operation *global : written) {
      (isOnEngines ? byEngines : byControl).insert(global);
      if (isOnEngines && stored.contains(global) && loaded.contains(global))
        readToWrite.insert(global);
    }
  }
  findLocked();
}

/// What functions with critical sections use: a copy would be late there.
void PlanCaches::findLocked() {
  SmallVector<func::FuncOp> roots;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    bool hasSection = false;
    function.walk([&](ir::LockOp) { hasSection = true; });
    if (hasSection)
      roots.push_back(function);
  }
  locked.clear();
  for (func::FuncOp function : ir::reachableFrom(roots))
    function.walk(
        [&](ir::LoadOp load) { locked.insert(ir::globalOf(load.getRef())); });
}

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

/// Packets of the profile; 0 without one.
double PlanCaches::packets() {
  std::optional<ir::ProgramProfile> program = ir::profileOf(getOperation());
  return program ? double(program->received) : 0;
}

/// Why nothing read from `global` can be kept; or empty.
std::string PlanCaches::refusalToKeep(ir::GlobalOp global) {
  if (readToWrite.contains(global))
    return llvm::formatv("packets write it ({0:f4} stores a packet), and the "
                         "PPF that does reads it",
                         double(ir::profileOf(global)->writes) / packets());
  if (locked.contains(global))
    return "a function with a critical section uses it";
  if (ir::placeOf(global)->memory == "dram")
    return "it lies in DRAM";
  return "";
}

/// Cycles of a load at home.
double PlanCaches::latencyOf(ir::GlobalOp global) {
  target::ChipParameters chip;
  bool isScratch = ir::placeOf(global)->memory == "scratch";
  return double(isScratch ? chip.scratchLatency : chip.sramLatency);
}

/// Cycles of an engine that one load saves if a copy serves it.
double savedByLoad(double latency) {
  return (latency - localCycles) / target::ContextCount - copyCycles;
}

/// Cycles of an engine, a packet, if the copy serves this share of the loads.
double PlanCaches::savedBy(const Candidate &candidate, double share) {
  ir::GlobalOp global = candidate.global;
  bool isShorter = candidate.type != global.getType();
  return candidate.rates.load * (share * savedByLoad(latencyOf(global)) -
                                 (isShorter || share < 1 ? rangeCycles : 0) -
                                 (share < 1 ? jumpCycles : 0));
}

/// The share of the loads that the copy of a part of an array must serve.
double PlanCaches::leastShare(ir::GlobalOp global) {
  return (rangeCycles + jumpCycles) / savedByLoad(latencyOf(global));
}

AccessRates PlanCaches::ratesOf(ir::GlobalOp global) {
  AccessRates rates;
  ir::GlobalProfile profile =
      ir::profileOf(global).value_or(ir::GlobalProfile());
  rates.load = double(profile.reads) / packets();
  if (byControl.contains(global) || byEngines.contains(global)) {
    uint64_t stores = profile.updates + profile.writes;
    rates.store =
        stores ? double(stores) / packets() : unseenStores / designPackets;
  }
  rates.errorMax = maxErrorRate;
  if (auto tolerated = global->getAttrOfType<IntegerAttr>(ir::tolerateAttrName))
    rates.errorMax = 1 / double(tolerated.getValue().getZExtValue());
  return rates;
}

/// Why `global` cannot be cached; empty if it can, with `candidate` filled.
std::string PlanCaches::refusal(ir::GlobalOp global, Candidate &candidate) {
  std::optional<ir::GlobalProfile> profile = ir::profileOf(global);
  if (!profile || packets() == 0)
    return "there is no profile";
  candidate.global = global;
  candidate.type = typeOfCopy(global.getType(), profile->extent);
  candidate.words = ir::wordCount(candidate.type);
  if (profile->reads == 0)
    return "no packet of the profile reads it";
  if (std::string reason = refusalToKeep(global); !reason.empty())
    return reason;
  auto array = dyn_cast<ir::ArrayType>(candidate.type);
  double leastWords = double(candidate.words);
  if (array)
    leastWords *= std::min(leastShare(global), 1.0);
  if (leastWords > copyWords)
    return llvm::formatv("the {0} words of it that packets read do not fit "
                         "the {1} of local memory",
                         candidate.words, copyWords);
  candidate.rates = ratesOf(global);
  const AccessRates &rates = candidate.rates;
  candidate.interval = checkInterval(rates);
  if (std::string reason =
          refusalByRates(rates, engines * target::ContextCount, "loads");
      !reason.empty())
    return reason;
  candidate.latency = rates.load * (latencyOf(global) - localCycles);
  candidate.gain = savedBy(candidate, 1);
  return "";
}

/// The look-ups whose results are kept, if any.
void PlanCaches::planAnswers() {
  kept.clear();
  copyWords = copyWordsMax;
  if (!answers || packets() == 0)
    return;
  kept = chooseLookups(
      getOperation(), packets(), engines * target::ContextCount, passName,
      [&](ir::GlobalOp global) {
        AccessRates rates = ratesOf(global);
        return LookedUp{refusalToKeep(global), rates.load, rates.store,
                        latencyOf(global), rates.errorMax};
      });
  copyWords -= uint32_t(kept.size()) * target::CamEntries;
}

/// The best set among those that are content with `interval`.
Choice PlanCaches::pack(uint64_t interval, uint64_t words) const {
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
void PlanCaches::fillUp(uint64_t interval, Choice &choice) const {
  uint64_t room = copyWords;
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
double PlanCaches::lookCycles(const Choice &choice) const {
  bool isWritten = llvm::any_of(
      choice.chosen, [&](size_t i) { return candidates[i].rates.store > 0; });
  if (!isWritten)
    return 0;
  uint64_t packets =
      intervalOfContext(choice.interval, engines, target::ContextCount);
  return countCycles + double(target::ChipParameters().sramLatency) /
                           (target::ContextCount * double(packets));
}

Choice PlanCaches::choose() const {
  Choice best;
  double most = 0;
  for (const Candidate &candidate : candidates) {
    Choice choice = pack(candidate.interval, copyWords);
    fillUp(candidate.interval, choice);
    double net = choice.gain - lookCycles(choice);
    if (net > most) {
      most = net;
      best = std::move(choice);
    }
  }
  return best;
}

ir::GlobalOp PlanCaches::addGlobal(const Twine &name, Type type,
                                   const ir::Place &place) {
  OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
  auto global = builder.create<ir::GlobalOp>(
      getOperation().getLoc(), name.str(), type, DenseI64ArrayAttr());
  ir::setPlace(global, place);
  return global;
}

ir::GlobalOp PlanCaches::addLocal(const Twine &name, Type type) {
  ir::Place place{"local", localNext};
  localNext += uint32_t(ir::wordCount(type)) * bytesPerWord;
  return addGlobal(name, type, place);
}

/// The version word of `memory`, behind its globals.
void PlanCaches::addVersion(const std::string &memory) {
  uint32_t next = memory == "scratch" ? target::ScratchGlobalsBase
                  : memory == "sram0" ? target::Sram0GlobalsBase
                                      : target::Sram1GlobalsBase;
  for (auto global : getOperation().getOps<ir::GlobalOp>())
    if (std::optional<ir::Place> place = ir::placeOf(global))
      if (place->memory == memory)
        next = std::max(
            next, uint32_t(place->address +
                           bytesPerWord * ir::wordCount(global.getType())));
  Builder builder(&getContext());
  ir::GlobalOp word =
      addGlobal(versionPrefix + memory, builder.getI32Type(), {memory, next});
  // Never 0, which stands for nothing seen yet.
  word.setInit(ArrayRef<int64_t>{1});
  word->setAttr(versionAttrName, builder.getStringAttr(memory));
  versionAddress[memory] =
      memory == "sram1" ? target::sramAddress(1, next) : next;
  addLocal(seenPrefix + memory, builder.getI32Type());
}

/// Raises versions behind the last store of a block to cached globals.
void PlanCaches::raiseIn(func::FuncOp function,
                         const DenseSet<Operation *> &cached) {
  auto i32 = IntegerType::get(&getContext(), 32);
  for (Block &block : function.getBody()) {
    std::map<std::string, Operation *> last; // by memory
    for (Operation &op : block)
      if (ir::GlobalOp global = writtenBy(op);
          global && cached.contains(global))
        last[ir::placeOf(global)->memory] = &op;
    for (auto &[memory, store] : last) {
      OpBuilder builder(store);
      builder.setInsertionPointAfter(store);
      Value address = builder.create<arith::ConstantOp>(
          store->getLoc(),
          builder.getI32IntegerAttr(int32_t(versionAddress[memory])));
      StringRef raise =
          memory == "scratch" ? "__ixp_scratch_incr" : "__ixp_sram_incr";
      if (!getOperation().lookupSymbol<func::FuncOp>(raise)) {
        OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
        atEnd
            .create<func::FuncOp>(getOperation().getLoc(), raise,
                                  builder.getFunctionType({i32}, {}))
            .setPrivate();
      }
      builder.create<func::CallOp>(store->getLoc(), raise, TypeRange(),
                                   ValueRange{address});
      ++raiseCount;
    }
  }
}

void PlanCaches::setReason(ir::GlobalOp global, bool isCached,
                           const Twine &reason) {
  global->setAttr(reasonAttrName, StringAttr::get(&getContext(), reason));
  ++(isCached ? cachedCount : refusedCount);
  ir::explain(global, passName)
      << "@" << global.getSymName()
      << (isCached ? " cached: " : " not cached: ") << reason;
}

/// Places the results of a look-up, and says that they are kept.
void PlanCaches::carryOutAnswers(const KeptLookup &chosen) {
  func::FuncOp function = chosen.function;
  Type word = IntegerType::get(&getContext(), 32);
  ir::GlobalOp results =
      addLocal(answersPrefix + function.getSymName(),
               ir::ArrayType::get(&getContext(), target::CamEntries, word));
  function->setAttr(answersAttrName,
                    FlatSymbolRefAttr::get(results.getSymNameAttr()));
  if (chosen.tag != 0)
    ir::setNumber(function, tagAttrName, chosen.tag);
  ir::explain(function, passName)
      << "results of @" << function.getSymName() << " kept: "
      << llvm::formatv("{0} of them know {1:f2} of {2:f2} calls a packet; with "
                       "at most {3:e2} stale packets a look on every {4}th "
                       "packet; saves {5:f0} cycles of latency a packet",
                       chosen.entries, chosen.hitRate, chosen.rates.load,
                       chosen.rates.errorMax, chosen.interval, chosen.gain)
             .str();
}

void PlanCaches::carryOut(const Choice &choice) {
  ModuleOp module = getOperation();
  Builder builder(&getContext());
  if (choice.lastElements != 0) {
    Candidate &last = candidates[choice.chosen.back()];
    auto array = cast<ir::ArrayType>(last.type);
    last.latency *= double(choice.lastElements) / double(array.getSize());
    last.type = ir::ArrayType::get(&getContext(), choice.lastElements,
                                   array.getElementType());
    last.words = ir::wordCount(last.type);
  }
  localNext = 0;
  addLocal(lockName, builder.getI32Type());
  DenseSet<Operation *> cached;
  bool isWritten = false;
  for (size_t i : choice.chosen) {
    Candidate &candidate = candidates[i];
    std::string memory = ir::placeOf(candidate.global)->memory;
    if (!versionAddress.count(memory))
      addVersion(memory);
    cached.insert(candidate.global);
    isWritten |= candidate.rates.store > 0;
  }
  uint64_t interval = choice.interval;
  for (const KeptLookup &lookup : kept) {
    for (ir::GlobalOp global : lookup.globals) {
      std::string memory = ir::placeOf(global)->memory;
      if (!versionAddress.count(memory))
        addVersion(memory);
      cached.insert(global);
    }
    isWritten |= lookup.rates.store > 0;
    interval = std::min(interval, lookup.interval);
  }
  if (!kept.empty())
    addLocal(generationName, builder.getI32Type());
  // From a line's first word on: what a pointer reaches.
  localNext = target::CacheLineWords * bytesPerWord;
  for (const KeptLookup &lookup : kept)
    carryOutAnswers(lookup);
  for (size_t i : choice.chosen) {
    Candidate &candidate = candidates[i];
    ir::GlobalOp copy =
        addLocal(copyPrefix + candidate.global.getSymName(), candidate.type);
    candidate.global->setAttr(copyAttrName,
                              FlatSymbolRefAttr::get(copy.getSymNameAttr()));
    cachedWordCount += candidate.words;
    setReason(candidate.global, true,
              llvm::formatv("{0:f2} loads and {1:e2} stores a packet, {2} "
                            "words; with at most {3:e2} stale packets a look "
                            "on every {4}th packet; saves {5:f0} cycles of "
                            "latency a packet",
                            candidate.rates.load, candidate.rates.store,
                            candidate.words, candidate.rates.errorMax,
                            candidate.interval, candidate.latency)
                  .str());
  }
  if (isWritten) {
    uint64_t packets =
        intervalOfContext(interval, engines, target::ContextCount);
    module->setAttr(intervalAttrName,
                    builder.getI64IntegerAttr(int64_t(packets)));
    module->setAttr(packetsAttrName,
                    builder.getI64IntegerAttr(int64_t(interval)));
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (ir::kindOf(function) != ir::FunctionKind::Init)
      raiseIn(function, cached);
}

void PlanCaches::runOnOperation() {
  ir::markConstantGlobals(getOperation());
  findWriters();
  candidates.clear();
  versionAddress.clear();
  for (auto global : getOperation().getOps<ir::GlobalOp>()) {
    Candidate candidate;
    std::string reason = refusal(global, candidate);
    if (reason.empty())
      candidates.push_back(candidate);
    else
      setReason(global, false, reason);
  }
  planAnswers();
  Choice choice = choose();
  for (size_t i = 0; i < candidates.size(); ++i)
    if (!llvm::is_contained(choice.chosen, i))
      setReason(candidates[i].global, false,
                llvm::formatv("{0:f2} loads a packet, {1} words, a look on "
                              "every {2}th packet: {3}",
                              candidates[i].rates.load, candidates[i].words,
                              candidates[i].interval,
                              choice.chosen.empty()
                                  ? "looking costs more than that saves"
                                  : "others save more")
                    .str());
  if (!choice.chosen.empty() || !kept.empty())
    carryOut(choice);
}

} // namespace

} // namespace karakal::swcache
