// The plan of what engines cache.
//
// The pass first chooses the look-up functions and large arrays that use the
// CAM (ChooseCached.h), then the globals that get a copy (ChooseCopies.h), then
// an array with a direct-mapped cache in the rest of local memory.
//
// An update is as atomic as without caches: a refresh reads a copy with the
// bursts that a load would use, and the version is raised after the stores of a
// block. A packet can see one of two scalars stored one after the other without
// the second, as it can without caches.
//
// Requires: addresses of globals. Ensures: see Caches.h.

#include "ir/analysis/ConstantGlobals.h"
#include "ir/analysis/CoreTimers.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/Assert.h"
#include "swcache/Caches.h"
#include "swcache/ChooseCached.h"
#include "swcache/ChooseCopies.h"
#include "swcache/EmitCacheCode.h"
#include "swcache/Passes.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/MemoryMap.h"

#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace karakal::swcache {

#define GEN_PASS_DEF_PLANCACHES
#include "swcache/Passes.h.inc"

namespace {

constexpr StringLiteral passName = "plan-caches";
constexpr uint32_t bytesPerWord = 4;

/// The command that adds 1 to a version word of `memory`.
StringRef incrementOf(target::Memory memory) {
  switch (memory) {
  case target::Memory::Scratch:
    return target::intrinsic::ScratchIncrement;
  case target::Memory::Sram0:
  case target::Memory::Sram1:
  case target::Memory::Sram2:
  case target::Memory::Sram3:
    return target::intrinsic::SramIncrement;
  case target::Memory::Dram:
  case target::Memory::Local:
    break;
  }
  KARAKAL_UNREACHABLE("no global of this memory is cached");
}

class PlanCaches : public impl::PlanCachesBase<PlanCaches> {
public:
  using PlanCachesBase::PlanCachesBase;

private:
  void runOnOperation() override;

  /// The caches, and the cycles of latency per packet that they save.
  struct Plan {
    CacheChoice cam; ///< and the direct-mapped cache
    std::vector<CopyCandidate> candidates;
    CopyChoice choice;
    double gain = 0;
  };

  std::vector<CopyCandidate> findCandidates(const GlobalUses &uses);
  Plan planWith(const GlobalUses &uses,
                const std::vector<CopyCandidate> &possible, bool isCamForLines);
  void explainRefusals();
  void carryOut();
  void carryOutCache(const CacheCandidate &chosen);
  void carryOutCopy(CopyCandidate &chosen);
  ir::GlobalOp addGlobal(const Twine &name, Type type,
                         const ir::Placement &placement);
  ir::GlobalOp addLocal(const Twine &name, Type type);
  void addVersion(target::Memory memory);
  void raiseIn(func::FuncOp function, const DenseSet<Operation *> &cached);
  void leaveCachesBeforeUpdates(const DenseSet<Operation *> &cached);
  void setReason(ir::GlobalOp global, bool isCached, const Twine &reason);
  std::string describeChecks(const AccessRates &rates, uint64_t interval) const;
  unsigned contexts() const { return engines * target::ContextCount; }

  Plan plan;
  std::map<target::Memory, uint32_t> versionAddress; ///< as commands give it
  uint32_t localNext = 0;
};

ir::GlobalOp PlanCaches::addGlobal(const Twine &name, Type type,
                                   const ir::Placement &placement) {
  OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
  auto global = builder.create<ir::GlobalOp>(
      getOperation().getLoc(), name.str(), type, DenseI64ArrayAttr());
  ir::setPlacement(global, placement);
  return global;
}

ir::GlobalOp PlanCaches::addLocal(const Twine &name, Type type) {
  ir::Placement placement{target::Memory::Local, localNext};
  localNext += uint32_t(ir::wordCount(type)) * bytesPerWord;
  return addGlobal(name, type, placement);
}

/// Adds the version word of `memory`, after its globals.
void PlanCaches::addVersion(target::Memory memory) {
  StringRef name = target::memoryName(memory);
  uint32_t next = ir::globalsEnd(getOperation(), memory);
  Builder builder(&getContext());
  ir::GlobalOp word =
      addGlobal(versionPrefix + name, builder.getI32Type(), {memory, next});
  // Never 0, which means that an engine has seen no version yet.
  word.setInit(ArrayRef<int64_t>{1});
  word->setAttr(versionAttrName,
                ir::MemoryNameAttr::get(&getContext(), ir::MemoryName(memory)));
  versionAddress[memory] = target::commandAddress(memory, next);
  addLocal(seenPrefix + name, builder.getI32Type());
}

/// Raises versions after the last store of each block to cached globals.
void PlanCaches::raiseIn(func::FuncOp function,
                         const DenseSet<Operation *> &cached) {
  auto i32 = IntegerType::get(&getContext(), 32);
  for (Block &block : function.getBody()) {
    std::map<target::Memory, Operation *> last;
    for (Operation &op : block)
      if (ir::GlobalOp global = ir::writtenBy(op);
          global && cached.contains(global))
        last[ir::placementOf(global)->memory] = &op;
    for (auto &[memory, store] : last) {
      OpBuilder builder(store);
      builder.setInsertionPointAfter(store);
      Value address = builder.create<arith::ConstantOp>(
          store->getLoc(),
          builder.getI32IntegerAttr(int32_t(versionAddress[memory])));
      StringRef raise = incrementOf(memory);
      if (!getOperation().lookupSymbol<func::FuncOp>(raise)) {
        OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
        atEnd
            .create<func::FuncOp>(getOperation().getLoc(), raise,
                                  builder.getFunctionType({i32}, {}))
            .setPrivate();
      }
      builder.create<func::CallOp>(store->getLoc(), raise, TypeRange(),
                                   ValueRange{address});
    }
  }
}

void PlanCaches::setReason(ir::GlobalOp global, bool isCached,
                           const Twine &reason) {
  global->setAttr(reasonAttrName, StringAttr::get(&getContext(), reason));
  ir::explain(global, passName)
      << "@" << global.getSymName()
      << (isCached ? " cached: " : " not cached: ") << reason;
}

/// How engines notice stores to what is cached.
std::string PlanCaches::describeChecks(const AccessRates &rates,
                                       uint64_t interval) const {
  if (exchange && rates.store == 0)
    return "no version checks, because engines have no caches during updates";
  return llvm::formatv("with at most {0:e2} stale packets a version check "
                       "every {1}th packet",
                       rates.errorMax, interval);
}

/// Reserves local memory for the cache of a look-up function or an array.
void PlanCaches::carryOutCache(const CacheCandidate &chosen) {
  Operation *op = chosen.op();
  bool isLookup = bool(chosen.lookup);
  std::string numbers = llvm::formatv(
      "{0} of them serve {1:f2} of {2:f2} {3} per packet; {4}; saves {5:f0} "
      "cycles of latency per packet",
      chosen.entries, chosen.hitRate * chosen.probes, chosen.probes,
      isLookup ? "calls" : "visits",
      describeChecks(chosen.rates, chosen.interval), chosen.gain);
  ir::GlobalOp cache = addLocal((isLookup ? resultsPrefix : linesPrefix) +
                                    SymbolTable::getSymbolName(op).getValue(),
                                cacheArrayType(chosen));
  op->setAttr(isLookup ? resultsAttrName : linesAttrName,
              FlatSymbolRefAttr::get(cache.getSymNameAttr()));
  if (chosen.tag != 0)
    ir::setNumber(op, tagAttrName, chosen.tag);
  if (!isLookup)
    op->setAttr(reasonAttrName,
                StringAttr::get(&getContext(), "elements cached: " + numbers));
  ir::explain(op, passName)
      << (isLookup ? "results of @" : "elements of @")
      << SymbolTable::getSymbolName(op).getValue() << " cached"
      << (chosen.isDirectMapped ? " in lines found by the index: " : ": ")
      << numbers;
}

void PlanCaches::carryOutCopy(CopyCandidate &chosen) {
  ir::GlobalOp copy =
      addLocal(copyPrefix + chosen.global.getSymName(), chosen.type);
  chosen.global->setAttr(copyAttrName,
                         FlatSymbolRefAttr::get(copy.getSymNameAttr()));
  setReason(chosen.global, true,
            llvm::formatv("{0:f2} loads and {1:e2} stores per packet, {2} "
                          "words; {3}; saves {4:f0} cycles of latency per "
                          "packet",
                          chosen.rates.load, chosen.rates.store, chosen.words,
                          describeChecks(chosen.rates, chosen.interval),
                          chosen.latency)
                .str());
}

void PlanCaches::carryOut() {
  ModuleOp module = getOperation();
  Builder builder(&getContext());
  localNext = 0;
  addLocal(lockName, builder.getI32Type());
  DenseSet<Operation *> cached;
  bool isWritten = false;
  uint64_t interval = plan.choice.interval;
  auto addCached = [&](ir::GlobalOp global) {
    target::Memory memory = ir::placementOf(global)->memory;
    if (!versionAddress.count(memory))
      addVersion(memory);
    cached.insert(global);
  };
  for (size_t i : plan.choice.chosen) {
    addCached(plan.candidates[i].global);
    isWritten |= plan.candidates[i].rates.store > 0;
  }
  for (const CacheCandidate &each : plan.cam.chosen) {
    for (ir::GlobalOp global : each.globals)
      addCached(global);
    isWritten |= each.rates.store > 0;
    interval = std::min(interval, each.interval);
  }
  if (!plan.cam.chosen.empty())
    addLocal(generationName, builder.getI32Type());
  // The caches begin at the first word that a local memory pointer can address.
  localNext = target::CacheLineWords * bytesPerWord;
  for (const CacheCandidate &each : plan.cam.chosen)
    carryOutCache(each);
  for (size_t i : plan.choice.chosen)
    carryOutCopy(plan.candidates[i]);
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
  if (exchange)
    leaveCachesBeforeUpdates(cached);
}

/// Lets the core give the engines code without caches at the start of each
/// control function that may store to one of the globals `cached`. Not later:
/// it waits for the engines, so it must not hold a lock.
void PlanCaches::leaveCachesBeforeUpdates(const DenseSet<Operation *> &cached) {
  ModuleOp module = getOperation();
  bool isUpdated = false;
  for (auto control :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (ir::kindOf(control) != ir::FunctionKind::Control)
      continue;
    bool stores = false;
    for (func::FuncOp function : ir::reachableFrom(control))
      function.walk([&](Operation *op) {
        ir::GlobalOp global = ir::writtenBy(*op);
        stores |= global && cached.contains(global);
      });
    if (!stores)
      continue;
    isUpdated = true;
    declareIntrinsic(module, target::runtime::LeaveCaches);
    CacheCode(OpBuilder::atBlockBegin(&control.getBody().front()),
              control.getLoc())
        .call(target::runtime::LeaveCaches);
  }
  if (!isUpdated)
    return;
  module->setAttr(exchangedAttrName, UnitAttr::get(&getContext()));
  ir::addCoreTimer(module, returnTimerName, target::runtime::ReturnToCaches,
                   returnIntervalUs);
}

/// Returns the globals that can have a copy.
std::vector<CopyCandidate> PlanCaches::findCandidates(const GlobalUses &uses) {
  std::vector<CopyCandidate> found;
  for (auto global : getOperation().getOps<ir::GlobalOp>()) {
    CopyCandidate candidate;
    std::string reason =
        refusalToCopy(global, uses, cacheWordsMax, contexts(), candidate);
    if (reason.empty())
      found.push_back(candidate);
    else
      setReason(global, false, reason);
  }
  return found;
}

/// Chooses look-up and array caches, then copies for the rest of local memory.
/// `isCamForLines`: arrays may use the CAM, too.
PlanCaches::Plan
PlanCaches::planWith(const GlobalUses &uses,
                     const std::vector<CopyCandidate> &possible,
                     bool isCamForLines) {
  Plan plan;
  CacheOptions options;
  options.lookups = lookupCaches;
  options.lines = isCamForLines;
  options.words = options.wholeWords = cacheWordsMax;
  options.contexts = contexts();
  if (uses.packets() != 0)
    plan.cam = chooseCamCaches(getOperation(), uses, options);
  DenseSet<Operation *> taken;
  for (const CacheCandidate &candidate : plan.cam.chosen) {
    options.words -= candidate.localWords();
    for (ir::GlobalOp global : candidate.globals)
      taken.insert(global);
    plan.gain += candidate.gain;
  }
  for (const CopyCandidate &candidate : possible)
    if (llvm::none_of(plan.cam.chosen, [&](const CacheCandidate &chosen) {
          return chosen.array == candidate.global;
        }))
      plan.candidates.push_back(candidate);
  plan.choice = chooseCopies(plan.candidates, options.words, engines,
                             ir::chipOf(getOperation()));
  shortenLast(plan.choice, plan.candidates);
  for (size_t i : plan.choice.chosen) {
    taken.insert(plan.candidates[i].global);
    options.words -= uint32_t(plan.candidates[i].words);
    plan.gain += plan.candidates[i].latency;
  }
  if (arrayCaches && uses.packets() != 0)
    if (auto direct =
            chooseDirectMapped(getOperation(), uses, options, taken)) {
      plan.gain += direct->gain;
      plan.cam.chosen.push_back(std::move(*direct));
    }
  return plan;
}

void PlanCaches::explainRefusals() {
  for (const auto &[candidate, why] : plan.cam.refused)
    if (llvm::none_of(plan.cam.chosen,
                      [op = candidate.op()](const CacheCandidate &chosen) {
                        return chosen.op() == op;
                      }))
      ir::explain(candidate.op(), passName)
          << (candidate.lookup ? "results" : "elements") << " of @"
          << SymbolTable::getSymbolName(candidate.op()).getValue()
          << " not cached: " << why;
  for (size_t i = 0; i < plan.candidates.size(); ++i)
    if (const CopyCandidate &candidate = plan.candidates[i];
        !llvm::is_contained(plan.choice.chosen, i))
      setReason(candidate.global, false,
                llvm::formatv("{0:f2} loads per packet, {1} words, a version "
                              "check every {2}th packet: {3}",
                              candidate.rates.load, candidate.words,
                              candidate.interval,
                              plan.choice.chosen.empty()
                                  ? "version checks cost more than that saves"
                                  : "others save more")
                    .str());
}

void PlanCaches::runOnOperation() {
  if (engines == 0)
    engines = target::appEngineCount(ir::chipOf(getOperation()));
  ir::markConstantGlobals(getOperation());
  GlobalUses uses(getOperation(), maxErrorRate, exchange);
  versionAddress.clear();
  std::vector<CopyCandidate> possible = findCandidates(uses);
  plan = planWith(uses, possible, false);
  if (arrayCaches)
    if (Plan lined = planWith(uses, possible, true); lined.gain > plan.gain)
      plan = std::move(lined);
  explainRefusals();
  if (!plan.choice.chosen.empty() || !plan.cam.chosen.empty())
    carryOut();
}

} // namespace

} // namespace karakal::swcache
