//===- FramePlan.cpp - who lies where on the stacks -----------------------===//
//
// See FramePlan.h.
//
//===----------------------------------------------------------------------===//

#include "codegen-me/FramePlan.h"

#include "codegen-me/IxpTargetMachine.h"

#include "target-ixp/MemoryMap.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

using namespace llvm;

namespace karakal::codegen {

static unsigned wordsOf(uint64_t bytes) { return unsigned((bytes + 3) / 4); }

void FrameMap::place(const MachineFunction &function) {
  const Function *key = &function.getFunction();
  const MachineFrameInfo &frame = function.getFrameInfo();
  unsigned object = objectBase[key], slot = slotBase[key];
  slot += wordsOf(function.getInfo<IxpFunctionInfo>()->argumentBytes);
  std::vector<Place> &table = places[key];
  table.resize(frame.getObjectIndexEnd());
  for (int i = 0; i < frame.getObjectIndexEnd(); ++i) {
    if (frame.isDeadObjectIndex(i))
      continue;
    bool isSlot = frame.isSpillSlotObjectIndex(i);
    unsigned &next = isSlot ? slot : object;
    table[i] = {next, isSlot};
    next += wordsOf(frame.getObjectSize(i));
  }
  objects = std::max(objects, object);
  slots = std::max(slots, slot);
  for (const Instruction &instr : instructions(*key))
    if (auto *call = dyn_cast<CallBase>(&instr))
      if (const Function *callee = call->getCalledFunction()) {
        objectBase[callee] = std::max(objectBase[callee], object);
        slotBase[callee] = std::max(slotBase[callee], slot);
      }
}

FrameMap::FrameMap(const CallOrder &order, MachineModuleInfo &machine) {
  for (Function *function : order)
    place(*machine.getMachineFunction(*function));
}

unsigned FrameMap::wordOf(const Function *function, int index) const {
  if (index >= 0) {
    const Place &p = places.find(function)->second[index];
    return p.isSlot ? objects + p.word : p.word;
  }
  // Fixed objects are created in order of their place: -1 is the first.
  return argumentsOf(function) + unsigned(-1 - index);
}

Result<StackPlan> planStack(const FrameMap &frames, bool needsBase,
                            bool movesPointer) {
  StackPlan plan;
  // Each address kept takes a word itself, which may make another needed.
  for (unsigned before = ~0u; before != plan.systemWords;) {
    before = plan.systemWords;
    plan.words = frames.words() + plan.systemWords;
    unsigned local = std::min(plan.words, StackWords);
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
  unsigned inLocal = plan.systemWords + frames.objectWords();
  if (inLocal > StackWords)
    return makeError("E-codegen-me-021",
                     "arrays and structures on the stack do not fit: " +
                         std::to_string(inLocal) + " words, " +
                         std::to_string(StackWords) +
                         " words of local memory a context");
  return plan;
}

Result<SramStack> placeSramStack(const StackPlan &plan, uint32_t base,
                                 uint32_t bytes) {
  SramStack sram;
  sram.base = base;
  sram.contextBytes = SramChunkBytes;
  while (sram.contextBytes < plan.sramChunks * SramChunkBytes)
    sram.contextBytes *= 2;
  // Offsets behind the kept addresses are 16-bit constants.
  constexpr uint32_t ContextBytesMax = 1u << 16;
  uint64_t all =
      uint64_t(sram.contextBytes) * target::EngineCount * target::ContextCount;
  if (plan.sramChunks && (sram.contextBytes > ContextBytesMax || all > bytes))
    return makeError("E-codegen-me-022",
                     "the stacks do not fit: " + std::to_string(plan.words) +
                         " words a context, " + std::to_string(all) +
                         " bytes of SRAM in all, " + std::to_string(bytes) +
                         " available");
  return sram;
}

} // namespace karakal::codegen
