// The memory of each local array.
//
// A local array that is indexed by a variable is a global with `baker.local`
// if it has too many elements for registers. Each context has a copy:
//
//   local memory  a pointer register and a word, about six cycles an access.
//                 Caches and locks take their words first, the stacks of the
//                 contexts are behind them.
//   scratch, SRAM a command, and a copy for each context of the chip.
//
// The copies of a context lie side by side in local memory:
//
//   caches, locks | context 0: a, b | context 1: a, b | … | stacks
//
// Two arrays share words if they are never in use together: Baker has no
// recursion, so an array is in use while its function runs or waits for a call
// or for a PPF that it hands a packet. Arrays of different aggregates lie on
// different engines.
//
// The arrays with most accesses a word come first. A stack has three windows of
// sixteen words. It gives one or two of them up if what more arrays in local
// memory save exceeds what spilled registers then may cost in SRAM.
//
// Requires: `baker-aggregation`, and locks in their memories. Cost: quadratic
// in the number of arrays.

#include "aggregation/Passes.h"
#include "aggregation/model/MemoryWait.h"
#include "aggregation/model/PpfCost.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/LocalMemory.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::agg {

using target::Memory;

#define GEN_PASS_DEF_PLACELOCALS
#include "aggregation/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral explainName = "place-locals";
constexpr uint32_t bytesPerWord = 4;
/// The cycles of an access to local memory: the pointer register, its three
/// slots, the word.
constexpr double localCycles = 6;
/// What a window of the stack may cost a packet if it lies in SRAM instead: a
/// few registers that are stored and loaded again, in commands.
constexpr double commandsPerWindow = 4;

/// A local array and the code of the engines that uses it.
struct LocalArray {
  ir::GlobalOp global;
  uint32_t words = 0;  ///< of a copy
  double accesses = 0; ///< a packet
  double zeroing = 0;  ///< commands that set it to zero
  llvm::StringSet<> aggregates;
  llvm::SetVector<func::FuncOp> users;
};

using Reach = llvm::DenseMap<Operation *, llvm::SetVector<func::FuncOp>>;

/// The words of local memory that arrays take, by array; nothing: elsewhere.
struct Packing {
  std::vector<std::optional<uint32_t>> words;
  uint32_t stride = 0; ///< of a context
  double accesses = 0; ///< a packet that lie in local memory
  uint32_t stackWords = 0;
};

class PlaceLocals : public impl::PlaceLocalsBase<PlaceLocals> {
public:
  using PlaceLocalsBase::PlaceLocalsBase;

private:
  void runOnOperation() override;

  std::vector<LocalArray> findArrays();
  const llvm::SetVector<func::FuncOp> &reachOf(func::FuncOp function);
  bool meet(const LocalArray &a, const LocalArray &b);
  Packing pack(const std::vector<LocalArray> &arrays, uint32_t stackWords);
  Packing bestPacking(const std::vector<LocalArray> &arrays,
                      const MemoryWait &wait);
  void placeLocally(const LocalArray &array, uint32_t word,
                    const Packing &packing);
  LogicalResult placeByLoad(const LocalArray &array, const MemoryWait &wait,
                            const Packing &packing);
  void place(const LocalArray &array, const ir::Placement &at, uint32_t stride,
             const std::string &reason);

  Reach reach;
  uint32_t firstWord = 0; ///< of local memory, after caches and locks
};

} // namespace

/// Returns the functions that may run while `function` does.
const llvm::SetVector<func::FuncOp> &
PlaceLocals::reachOf(func::FuncOp function) {
  auto [at, isNew] = reach.try_emplace(function);
  if (!isNew)
    return at->second;
  llvm::SetVector<func::FuncOp> found = ir::reachableFrom({function});
  for (size_t i = 0; i < found.size(); ++i) {
    func::FuncOp each = found[i];
    each.walk([&](ir::ChannelPutOp put) {
      auto channel =
          getOperation().lookupSymbol<ir::ChannelOp>(put.getChannel());
      if (!channel || channel.goesToTx())
        return;
      if (auto consumer =
              getOperation().lookupSymbol<func::FuncOp>(channel.getConsumer()))
        for (func::FuncOp more : ir::reachableFrom({consumer}))
          found.insert(more);
    });
  }
  return reach[function] = found;
}

/// Adds the uses of `function`, as often as its blocks run in a call.
static void countIn(func::FuncOp function, StringRef aggregate,
                    llvm::MapVector<Operation *, LocalArray> &arrays) {
  llvm::DenseMap<Block *, double> times;
  function.walk([&](Operation *op) {
    if (!isa<ir::GlobalRefOp, ir::LoadOp, ir::StoreOp, ir::StoreWordsOp>(op))
      return;
    ir::GlobalOp global = ir::globalOf(
        isa<ir::GlobalRefOp>(op) ? op->getResult(0) : op->getOperands().back());
    if (!global || !ir::isLocal(global))
      return;
    if (times.empty())
      times = blockFrequencies(function);
    double count = times.lookup(op->getBlock());
    LocalArray &array = arrays[global];
    array.global = global;
    array.aggregates.insert(aggregate);
    array.users.insert(function);
    array.accesses += isa<ir::LoadOp, ir::StoreOp>(op) ? count : 0;
    array.zeroing += isa<ir::StoreWordsOp>(op) ? count : 0;
  });
}

std::vector<LocalArray> PlaceLocals::findArrays() {
  llvm::MapVector<Operation *, LocalArray> arrays;
  for (auto root : getOperation().getOps<func::FuncOp>()) {
    if (!ir::isPpf(root) || ir::coreOf(root) != ir::Core::Me)
      continue;
    for (func::FuncOp function : ir::reachableFrom({root}))
      countIn(function, ir::aggregateOf(root), arrays);
  }
  std::optional<ir::ProgramProfile> program = ir::profileOf(getOperation());
  std::vector<LocalArray> found;
  for (auto &[op, array] : arrays) {
    array.words = uint32_t(llvm::alignTo(ir::wordCount(array.global.getType()),
                                         ir::localGroupWords));
    auto profile = ir::profileOf(array.global);
    if (profile && program && program->received != 0)
      array.accesses =
          double(profile->reads + profile->writes) / double(program->received);
    array.accesses += array.zeroing;
    found.push_back(array);
  }
  llvm::stable_sort(found, [](const LocalArray &a, const LocalArray &b) {
    return a.accesses * b.words > b.accesses * a.words;
  });
  return found;
}

/// Whether a context of an engine may use both at the same time.
bool PlaceLocals::meet(const LocalArray &a, const LocalArray &b) {
  bool onOneEngine = llvm::any_of(a.aggregates, [&](const auto &entry) {
    return b.aggregates.contains(entry.getKey());
  });
  auto uses = [&](const LocalArray &outer, const LocalArray &inner) {
    return llvm::any_of(outer.users, [&](func::FuncOp function) {
      return llvm::any_of(reachOf(function), [&](func::FuncOp other) {
        return inner.users.contains(other);
      });
    });
  };
  return onOneEngine && (uses(a, b) || uses(b, a));
}

/// Gives arrays the first words that are free while they are in use.
Packing PlaceLocals::pack(const std::vector<LocalArray> &arrays,
                          uint32_t stackWords) {
  Packing result;
  result.stackWords = stackWords;
  result.words.resize(arrays.size());
  uint32_t all = target::LocalMemoryWords - stackWords * target::ContextCount;
  uint32_t room =
      all > firstWord ? (all - firstWord) / target::ContextCount : 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    // An array in one line of the pointer register is set to zero faster.
    uint32_t align =
        std::min<uint32_t>(target::CacheLineWords, arrays[i].words);
    uint32_t word = 0;
    for (bool isMoved = true; isMoved;) {
      isMoved = false;
      for (size_t j = 0; j < i; ++j)
        if (result.words[j] && *result.words[j] < word + arrays[i].words &&
            word < *result.words[j] + arrays[j].words &&
            meet(arrays[i], arrays[j])) {
          word = uint32_t(
              llvm::alignTo(*result.words[j] + arrays[j].words, align));
          isMoved = true;
        }
    }
    if (word + arrays[i].words > room)
      continue;
    result.words[i] = word;
    result.stride = std::max(result.stride, word + arrays[i].words);
    result.accesses += arrays[i].accesses;
  }
  auto whole = uint32_t(llvm::alignTo(result.stride, target::CacheLineWords));
  result.stride = whole <= room ? whole : result.stride;
  KARAKAL_ASSERT(firstWord + result.stride * target::ContextCount <= all ||
                     result.stride == 0,
                 "the arrays leave the stacks their words");
  return result;
}

/// Returns the packing for the size of the stacks that costs least.
Packing PlaceLocals::bestPacking(const std::vector<LocalArray> &arrays,
                                 const MemoryWait &wait) {
  double command = wait.cycles(Memory::Sram0, target::CommandKind::Memory);
  constexpr uint32_t window = target::StackWindowWords;
  Packing best = pack(arrays, target::StackWordsPerContext);
  for (uint32_t stack = target::StackWordsPerContext - window; stack >= window;
       stack -= window) {
    Packing other = pack(arrays, stack);
    double saved = (other.accesses - best.accesses) * (command - localCycles);
    double lost =
        (best.stackWords - stack) / window * commandsPerWindow * command;
    if (saved > lost)
      best = other;
  }
  return best;
}

void PlaceLocals::place(const LocalArray &array, const ir::Placement &at,
                        uint32_t stride, const std::string &reason) {
  ir::GlobalOp global = array.global;
  ir::setPlacement(global, at);
  ir::setNumber(global, ir::strideAttrName, stride);
  std::string text = llvm::formatv("{0} words, {1:f1} accesses a packet; {2}",
                                   array.words, array.accesses, reason);
  global->setAttr(ir::placementReasonAttrName,
                  StringAttr::get(&getContext(), text));
  ir::explain(global, explainName)
      << "local array " << global.getSymName() << " lies in "
      << (at.memory == Memory::Local ? "local memory"
                                     : target::memoryName(at.memory))
      << ": " << text;
}

void PlaceLocals::placeLocally(const LocalArray &array, uint32_t word,
                               const Packing &packing) {
  std::string reason = llvm::formatv("word {0} of {1} that each context has",
                                     word, packing.stride);
  if (packing.stackWords != target::StackWordsPerContext)
    reason += llvm::formatv("; stacks have {0} words instead of {1}",
                            packing.stackWords, target::StackWordsPerContext);
  place(array, {Memory::Local, (firstWord + word) * bytesPerWord},
        packing.stride, reason);
}

LogicalResult PlaceLocals::placeByLoad(const LocalArray &array,
                                       const MemoryWait &wait,
                                       const Packing &packing) {
  target::ChipParameters chip = ir::chipOf(getOperation());
  std::optional<Memory> best;
  std::string figures;
  auto cyclesIn = [&](Memory memory) {
    return wait.cycles(memory, target::CommandKind::Memory);
  };
  uint64_t copies = ir::copiesOfLocal(getOperation(), Memory::Scratch);
  uint64_t bytes = copies * array.words * bytesPerWord;
  for (Memory memory : target::sharedMemories(chip)) {
    if (memory == Memory::Dram) // single words cannot be written
      continue;
    bool fits = ir::globalsEnd(getOperation(), memory) + bytes <=
                target::globalsRange(memory, chip).end;
    figures +=
        llvm::formatv("{0}{1:f0} cycles in {2}{3}", figures.empty() ? "" : ", ",
                      cyclesIn(memory), target::memoryName(memory),
                      fits ? "" : ", which is full");
    if (fits && (!best || cyclesIn(memory) < cyclesIn(*best)))
      best = memory;
  }
  ir::GlobalOp global = array.global;
  if (!best)
    return global.emitError()
           << "the local array '" << global.getSymName()
           << "' does not fit: " << bytes << " bytes needed for " << copies
           << " contexts; no memory has them [E-aggregation-011]";
  place(array, {*best, ir::globalsEnd(getOperation(), *best)}, array.words,
        llvm::formatv("local memory leaves a context {0} words beside a stack "
                      "of {1}; an access takes {2}",
                      packing.stride, packing.stackWords, figures));
  return mlir::success();
}

void PlaceLocals::runOnOperation() {
  std::vector<LocalArray> arrays = findArrays();
  if (arrays.empty())
    return;
  MemoryWait wait(getOperation());
  firstWord = uint32_t(llvm::alignTo(
      ir::globalsEnd(getOperation(), Memory::Local) / bytesPerWord,
      target::CacheLineWords));
  Packing packing = bestPacking(arrays, wait);
  for (size_t i = 0; i < arrays.size(); ++i)
    if (packing.words[i])
      placeLocally(arrays[i], *packing.words[i], packing);
    else if (failed(placeByLoad(arrays[i], wait, packing)))
      return signalPassFailure();
}

} // namespace karakal::agg
