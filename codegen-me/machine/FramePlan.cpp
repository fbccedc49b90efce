// Places frame objects on the stacks.

#include "codegen-me/machine/FramePlan.h"
#include "codegen-me/machine/FrameCheck.h"

#include "codegen-me/target/IxpFunctionInfo.h"
#include "codegen-me/target/IxpInstrInfo.h"

#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/LocalMemory.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

using namespace llvm;

namespace karakal::codegen {

static_assert(StackWordsMax == target::StackWordsPerContext,
              "the stack fills the local memory of a context");
static_assert(WindowWords == target::StackWindowWords,
              "a stack ends with a window");
static_assert(WindowWords == target::CacheLineWords,
              "a literal offset reaches a window and a cache line alike");
static_assert(StackWordsMax == 3 * WindowWords,
              "StackPlan::windowWord has an entry for each window");
static_assert(SramChunkBytes <= 128 && isPowerOf2_32(SramChunkBytes),
              "the 7-bit literal of a command reaches a whole chunk");

static unsigned wordsOf(uint64_t bytes) { return unsigned((bytes + 3) / 4); }

/// How often each frame object of a function is accessed.
static std::vector<double> usesOf(MachineFunction &function,
                                  const BlockFrequencies &frequencies) {
  const MachineFrameInfo &frame = function.getFrameInfo();
  std::vector<double> uses(frame.getObjectIndexEnd());
  for (const MachineBasicBlock &block : function)
    for (const MachineInstr &instr : block)
      for (const MachineOperand &operand : instr.operands())
        if (operand.isFI() && operand.getIndex() >= 0)
          uses[operand.getIndex()] += frequencies.lookup(&block);
  return uses;
}

void FrameMap::collect(MachineFunction &function,
                       const BlockFrequencies &frequencies,
                       std::vector<Item> &items) {
  const Function *key = &function.getFunction();
  const MachineFrameInfo &frame = function.getFrameInfo();
  std::vector<double> uses = usesOf(function, frequencies);
  positions[key].resize(frame.getObjectIndexEnd());
  for (int i = 0; i < frame.getObjectIndexEnd(); ++i)
    if (!frame.isDeadObjectIndex(i))
      items.push_back({key, i, wordsOf(frame.getObjectSize(i)),
                       frame.isSpillSlotObjectIndex(i), uses[i]});
  // Written and read once a call.
  unsigned arguments =
      wordsOf(function.getInfo<IxpFunctionInfo>()->argumentBytes);
  if (arguments != 0)
    items.push_back(
        {key, -1, arguments, true, 2 * frequencies.lookup(&function.front())});
}

/// For each function of `order`, the functions whose frames may be on the stack
/// together with its own: its direct and indirect callees and callers.
static DenseMap<const Function *, SmallPtrSet<const Function *, 8>>
relativesOf(const CallOrder &order) {
  DenseMap<const Function *, SmallPtrSet<const Function *, 8>> below, related;
  for (const Function *function : reverse(order)) {
    SmallPtrSet<const Function *, 8> reached = {function};
    for (const Instruction &instr : instructions(*function))
      if (auto *call = dyn_cast<CallBase>(&instr))
        if (const Function *callee = call->getCalledFunction()) {
          const auto &more = below[callee];
          reached.insert(more.begin(), more.end());
        }
    below[function] = reached;
    for (const Function *other : reached) {
      related[function].insert(other);
      related[other].insert(function);
    }
  }
  return related;
}

void FrameMap::place(const CallOrder &order, const std::vector<Item> &items) {
  auto related = relativesOf(order);
  // Words taken, by zone and function.
  DenseMap<const Function *, BitVector> taken[2];
  for (const Item &item : items) {
    BitVector busy;
    for (const Function *other : related[item.function])
      busy |= taken[item.isSlot][other];
    unsigned word = 0;
    for (int next; word < busy.size(); word = unsigned(next) + 1) {
      next = busy.find_first_in(
          word, std::min<unsigned>(word + item.words, busy.size()));
      if (next < 0)
        break;
    }
    unsigned end = word + item.words;
    BitVector &own = taken[item.isSlot][item.function];
    own.resize(std::max<unsigned>(own.size(), end));
    own.set(word, end);
    unsigned &size = item.isSlot ? slots : objects;
    size = std::max(size, end);
    if (item.index < 0)
      argumentBase[item.function] = word;
    else
      positions[item.function][item.index] = {word, item.isSlot};
  }
}

void FrameMap::check(const CallOrder &order,
                     const std::vector<Item> &items) const {
  DenseMap<const Function *, unsigned> number;
  std::vector<Frame> frames(order.size());
  for (auto [i, function] : llvm::enumerate(order))
    number[function] = unsigned(i);
  for (auto [i, function] : llvm::enumerate(order))
    for (const Instruction &instr : instructions(*function))
      if (auto *call = dyn_cast<CallBase>(&instr))
        if (auto callee = number.find(call->getCalledFunction());
            callee != number.end())
          frames[i].callees.push_back(callee->second);
  for (const Item &item : items) {
    unsigned word = item.index < 0 ? argumentsOf(item.function)
                                   : wordOf(item.function, item.index);
    frames[number[item.function]].objects.push_back({word, item.words});
  }
  std::string overlap = findOverlap(frames);
  KARAKAL_ASSERT(overlap.empty(), overlap);
}

FrameMap::FrameMap(const CallOrder &order, MachineModuleInfo &machine,
                   const BlockFrequencies &frequencies) {
  std::vector<Item> items;
  for (Function *function : order)
    collect(*machine.getMachineFunction(*function), frequencies, items);
  llvm::stable_sort(
      items, [](const Item &l, const Item &r) { return l.uses > r.uses; });
  place(order, items);
  check(order, items);
}

unsigned FrameMap::wordOf(const Function *function, int index) const {
  if (index >= 0) {
    auto found = positions.find(function);
    KARAKAL_ASSERT(found != positions.end() &&
                       size_t(index) < found->second.size(),
                   "every frame object has been placed");
    const Position &p = found->second[index];
    return p.isSlot ? objects + p.word : p.word;
  }
  // Fixed objects are created in address order: -1 is the first.
  return argumentsOf(function) + unsigned(-1 - index);
}

Result<StackPlan> planStack(const FrameMap &frames, bool needsBase,
                            bool movesPointer, unsigned programWords) {
  KARAKAL_ASSERT(programWords <= target::ProgramLocalWordsMax,
                 "the program leaves each context a stack");
  StackPlan plan;
  plan.localWords = target::stackWordsBeside(programWords);
  // Each system word takes space, which may require another system word.
  for (unsigned before = ~0u; before != plan.systemWords;) {
    before = plan.systemWords;
    plan.words = frames.words() + plan.systemWords;
    unsigned local = std::min(plan.words, plan.localWords);
    bool hasTwo = local > 2 * WindowWords;
    plan.sramChunks =
        ((plan.words - local) * 4 + SramChunkBytes - 1) / SramChunkBytes;
    unsigned next = std::min(plan.sramChunks, SramChunksDirect);
    plan.sramWord = next ? 0 : -1;
    if (plan.sramChunks > SramChunksDirect)
      plan.saveWord = int(next++);
    if (needsBase)
      plan.baseWord = int(next++);
    if (local > WindowWords && (movesPointer || hasTwo))
      plan.windowWord[1] = int(next++);
    if (hasTwo)
      plan.windowWord[2] = int(next++);
    plan.systemWords = std::max(plan.systemWords, next);
  }
  KARAKAL_ASSERT(plan.words == frames.words() + plan.systemWords,
                 "the plan has settled");
  unsigned inLocal = plan.systemWords + frames.objectWords();
  if (inLocal > plan.localWords)
    return makeError("E-codegen-me-021",
                     "arrays and structures on the stack do not fit: " +
                         std::to_string(inLocal) + " words, " +
                         std::to_string(plan.localWords) +
                         " words of local memory a context");
  return plan;
}

Result<SramStack> placeSramStack(const StackPlan &plan,
                                 const target::ChipParameters &chip) {
  uint32_t bytes = target::stackSramBytes(chip);
  SramStack sram;
  sram.base = uint32_t(chip.sramBytes) - bytes;
  sram.clusterEngines = target::clusterEngineCount(chip);
  // Offsets from the addresses in system words are 16-bit constants.
  constexpr uint32_t ContextBytesMax = 1u << 16;
  // The engines share the memory, and each counts contexts by itself: so the
  // size is the same for all code, whatever it needs.
  sram.contextBytes = std::min(
      llvm::bit_floor(bytes / uint32_t(chip.meCount * target::ContextCount)),
      ContextBytesMax);
  if (plan.sramChunks * SramChunkBytes > sram.contextBytes)
    return makeError("E-codegen-me-022",
                     "the stacks do not fit: " + std::to_string(plan.words) +
                         " words a context, " +
                         std::to_string(plan.sramChunks * SramChunkBytes) +
                         " bytes of them in SRAM, " +
                         std::to_string(sram.contextBytes) + " available");
  return sram;
}

} // namespace karakal::codegen
