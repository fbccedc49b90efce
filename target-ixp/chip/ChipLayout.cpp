// Layout of a chip of the family.

#include "target-ixp/chip/ChipLayout.h"
#include "support/Assert.h"

namespace karakal::target {

namespace {
constexpr uint32_t bytesPerWord = 4;
/// Code words that spill and reload one word.
constexpr uint32_t codeWordsPerSpill = 4;
} // namespace

uint32_t txEngine(const ChipParameters &chip) {
  KARAKAL_ASSERT(chip.meCount > AppEngineFirst, "a chip has Rx and Tx engines");
  return uint32_t(chip.meCount) - 1;
}

uint32_t appEngineCount(const ChipParameters &chip) {
  return txEngine(chip) - AppEngineFirst;
}

uint32_t clusterEngineCount(const ChipParameters &chip) {
  return uint32_t(chip.meCount) / 2;
}

uint32_t stackSramBytes(const ChipParameters &chip) {
  uint64_t wordsOfContext = chip.meControlStore / codeWordsPerSpill;
  return uint32_t(wordsOfContext * bytesPerWord * chip.meCount * ContextCount);
}

uint32_t globalsBegin(Memory memory) {
  switch (memory) {
  case Memory::Scratch:
    return ScratchGlobalsBase;
  case Memory::Sram0:
    return Sram0GlobalsBase;
  case Memory::Sram1:
  case Memory::Sram2:
  case Memory::Sram3:
    return SramGlobalsBase;
  case Memory::Dram:
    return DramGlobalsBase;
  case Memory::Local:
    return 0;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

GlobalsRange globalsRange(Memory memory, const ChipParameters &chip) {
  uint64_t begin = globalsBegin(memory);
  switch (memory) {
  case Memory::Scratch:
    return {begin, ScratchGlobalsEnd, bytesPerWord};
  case Memory::Sram0:
    return {begin, chip.sramBytes - stackSramBytes(chip), bytesPerWord};
  case Memory::Sram1:
  case Memory::Sram2:
  case Memory::Sram3:
    return {begin, chip.sramBytes, bytesPerWord};
  case Memory::Dram:
    return {begin, XScaleBase, 2 * bytesPerWord};
  case Memory::Local:
    return {begin, CacheWords * bytesPerWord, bytesPerWord};
  }
  KARAKAL_UNREACHABLE("no such memory");
}

bool hasMemory(const ChipParameters &chip, Memory memory) {
  std::optional<uint32_t> channel = sramChannelOf(memory);
  return !channel || *channel < chip.sramChannels;
}

std::vector<Memory> sharedMemories(const ChipParameters &chip) {
  std::vector<Memory> memories;
  for (Memory memory : AllMemories)
    if (memory != Memory::Local && hasMemory(chip, memory))
      memories.push_back(memory);
  return memories;
}

std::vector<Memory> sramMemories(const ChipParameters &chip) {
  std::vector<Memory> memories;
  for (Memory memory : sharedMemories(chip))
    if (isSram(memory))
      memories.push_back(memory);
  return memories;
}

} // namespace karakal::target
