// What engines cache.
//
// Look-ups and elements of large arrays that the CAM serves are chosen first
// (ChooseKept.h), then globals that get a copy of their own (ChooseCopies.h),
// then an array whose elements lines without the CAM keep in what is left of
// local memory.
//
// Each update is atomic as far as the program's own is: a copy is filled by
// the bursts that a load would use, and the version is raised behind the
// stores of a block. Two scalars that were stored one after the other can be
// seen apart, as they can at home.
//
// Requires: places of globals. Ensures: see Caches.h.

#include "ir/analysis/ConstantGlobals.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "swcache/Caches.h"
#include "swcache/ChooseCached.h"
#include "swcache/ChooseCopies.h"
#include "swcache/Passes.h"
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
/// Words for copies: the first line has the lock and the versions seen.
constexpr uint32_t copyWordsMax = target::CacheWords - target::CacheLineWords;

class PlanCaches : public impl::PlanCachesBase<PlanCaches> {
public:
  using PlanCachesBase::PlanCachesBase;

private:
  void runOnOperation() override;

  /// All that is cached, and the cycles of latency a packet that it saves.
  struct Plan {
    KeptChoice cam; ///< with lines that the index chooses
    std::vector<Candidate> candidates;
    Choice choice;
    double gain = 0;
  };

  std::vector<Candidate> findCandidates(const GlobalUses &uses);
  Plan planWith(const GlobalUses &uses, const std::vector<Candidate> &possible,
                bool isCamForLines);
  void explainRefusals();
  void carryOut();
  void carryOutKept(const Kept &chosen);
  void carryOutCopy(Candidate &chosen);
  ir::GlobalOp addGlobal(const Twine &name, Type type, const ir::Place &place);
  ir::GlobalOp addLocal(const Twine &name, Type type);
  void addVersion(const std::string &memory);
  void raiseIn(func::FuncOp function, const DenseSet<Operation *> &cached);
  void setReason(ir::GlobalOp global, bool isCached, const Twine &reason);
  unsigned contexts() const { return engines * target::ContextCount; }

  Plan plan;
  std::map<std::string, uint32_t> versionAddress; ///< as commands give it
  uint32_t localNext = 0;
};

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
  uint32_t next = ir::globalsEnd(getOperation(), memory);
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
      StringRef raise = memory == "scratch"
                            ? target::intrinsic::ScratchIncrement
                            : target::intrinsic::SramIncrement;
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

/// Places what an engine keeps of a look-up or of an array.
void PlanCaches::carryOutKept(const Kept &chosen) {
  Operation *op = chosen.op();
  bool isLookup = bool(chosen.lookup);
  std::string numbers = llvm::formatv(
      "{0} of them know {1:f2} of {2:f2} {3} a packet; with at most {4:e2} "
      "stale packets a look on every {5}th packet; saves {6:f0} cycles of "
      "latency a packet",
      chosen.entries, chosen.hitRate * chosen.asked, chosen.asked,
      isLookup ? "calls" : "visits", chosen.rates.errorMax, chosen.interval,
      chosen.gain);
  ir::GlobalOp place = addLocal((isLookup ? answersPrefix : linesPrefix) +
                                    SymbolTable::getSymbolName(op).getValue(),
                                keptType(chosen));
  op->setAttr(isLookup ? answersAttrName : linesAttrName,
              FlatSymbolRefAttr::get(place.getSymNameAttr()));
  if (chosen.tag != 0)
    ir::setNumber(op, tagAttrName, chosen.tag);
  if (!isLookup)
    op->setAttr(reasonAttrName,
                StringAttr::get(&getContext(), "elements kept: " + numbers));
  ir::explain(op, passName)
      << (isLookup ? "results of @" : "elements of @")
      << SymbolTable::getSymbolName(op).getValue() << " kept"
      << (chosen.isDirect ? " in lines that the index chooses: " : ": ")
      << numbers;
}

void PlanCaches::carryOutCopy(Candidate &chosen) {
  ir::GlobalOp copy =
      addLocal(copyPrefix + chosen.global.getSymName(), chosen.type);
  chosen.global->setAttr(copyAttrName,
                         FlatSymbolRefAttr::get(copy.getSymNameAttr()));
  cachedWordCount += chosen.words;
  setReason(chosen.global, true,
            llvm::formatv("{0:f2} loads and {1:e2} stores a packet, {2} "
                          "words; with at most {3:e2} stale packets a look "
                          "on every {4}th packet; saves {5:f0} cycles of "
                          "latency a packet",
                          chosen.rates.load, chosen.rates.store, chosen.words,
                          chosen.rates.errorMax, chosen.interval,
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
    std::string memory = ir::placeOf(global)->memory;
    if (!versionAddress.count(memory))
      addVersion(memory);
    cached.insert(global);
  };
  for (size_t i : plan.choice.chosen) {
    addCached(plan.candidates[i].global);
    isWritten |= plan.candidates[i].rates.store > 0;
  }
  for (const Kept &each : plan.cam.kept) {
    for (ir::GlobalOp global : each.globals)
      addCached(global);
    isWritten |= each.rates.store > 0;
    interval = std::min(interval, each.interval);
  }
  if (!plan.cam.kept.empty())
    addLocal(generationName, builder.getI32Type());
  // From a line's first word on: what a pointer reaches.
  localNext = target::CacheLineWords * bytesPerWord;
  for (const Kept &each : plan.cam.kept)
    carryOutKept(each);
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
}

/// The globals that could have a copy.
std::vector<Candidate> PlanCaches::findCandidates(const GlobalUses &uses) {
  std::vector<Candidate> found;
  for (auto global : getOperation().getOps<ir::GlobalOp>()) {
    Candidate candidate;
    std::string reason =
        refusalToCopy(global, uses, copyWordsMax, contexts(), candidate);
    if (reason.empty())
      found.push_back(candidate);
    else
      setReason(global, false, reason);
  }
  return found;
}

/// What is kept, and what gets a copy in the words that leaves;
/// `isCamForLines`: the CAM serves arrays, too.
PlanCaches::Plan PlanCaches::planWith(const GlobalUses &uses,
                                      const std::vector<Candidate> &possible,
                                      bool isCamForLines) {
  Plan plan;
  KeepOptions options;
  options.lookups = answers;
  options.lines = isCamForLines;
  options.words = options.wholeWords = copyWordsMax;
  options.contexts = contexts();
  if (uses.packets() != 0)
    plan.cam = chooseKept(getOperation(), uses, options);
  DenseSet<Operation *> taken;
  for (const Kept &kept : plan.cam.kept) {
    options.words -= kept.localWords();
    for (ir::GlobalOp global : kept.globals)
      taken.insert(global);
    plan.gain += kept.gain;
  }
  for (const Candidate &candidate : possible)
    if (llvm::none_of(plan.cam.kept, [&](const Kept &kept) {
          return kept.array == candidate.global;
        }))
      plan.candidates.push_back(candidate);
  plan.choice = chooseCopies(plan.candidates, options.words, engines);
  shortenLast(plan.choice, plan.candidates);
  for (size_t i : plan.choice.chosen) {
    taken.insert(plan.candidates[i].global);
    options.words -= uint32_t(plan.candidates[i].words);
    plan.gain += plan.candidates[i].latency;
  }
  if (lines && uses.packets() != 0)
    if (auto direct = chooseDirect(getOperation(), uses, options, taken)) {
      plan.gain += direct->gain;
      plan.cam.kept.push_back(std::move(*direct));
    }
  return plan;
}

void PlanCaches::explainRefusals() {
  for (const auto &[kept, why] : plan.cam.refused)
    if (llvm::none_of(plan.cam.kept, [op = kept.op()](const Kept &chosen) {
          return chosen.op() == op;
        }))
      ir::explain(kept.op(), passName)
          << (kept.lookup ? "results" : "elements") << " of @"
          << SymbolTable::getSymbolName(kept.op()).getValue()
          << " not kept: " << why;
  for (size_t i = 0; i < plan.candidates.size(); ++i)
    if (const Candidate &candidate = plan.candidates[i];
        !llvm::is_contained(plan.choice.chosen, i))
      setReason(candidate.global, false,
                llvm::formatv("{0:f2} loads a packet, {1} words, a look on "
                              "every {2}th packet: {3}",
                              candidate.rates.load, candidate.words,
                              candidate.interval,
                              plan.choice.chosen.empty()
                                  ? "looking costs more than that saves"
                                  : "others save more")
                    .str());
}

void PlanCaches::runOnOperation() {
  ir::markConstantGlobals(getOperation());
  GlobalUses uses(getOperation(), maxErrorRate);
  versionAddress.clear();
  std::vector<Candidate> possible = findCandidates(uses);
  plan = planWith(uses, possible, false);
  if (lines)
    if (Plan lined = planWith(uses, possible, true); lined.gain > plan.gain)
      plan = std::move(lined);
  explainRefusals();
  if (!plan.choice.chosen.empty() || !plan.cam.kept.empty())
    carryOut();
}

} // namespace

} // namespace karakal::swcache
