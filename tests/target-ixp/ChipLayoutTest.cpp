// Tests of the memories and the layout of every chip that runs images.

#include "target-ixp/chip/ChipLayout.h"

#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::target;

namespace {

ChipParameters chipOf(const char *name) {
  ChipParameters chip;
  EXPECT_TRUE(setConfiguration(chip, name));
  return chip;
}

TEST(MemoriesTest, EveryNameFindsItsMemory) {
  for (Memory memory : AllMemories)
    EXPECT_EQ(findMemory(memoryName(memory)), memory);
  EXPECT_FALSE(findMemory("sram"));
  EXPECT_FALSE(findMemory("sram4"));
}

TEST(MemoriesTest, OnlySramHasAChannel) {
  EXPECT_EQ(sramChannelOf(Memory::Sram0), 0u);
  EXPECT_EQ(sramChannelOf(Memory::Sram3), 3u);
  EXPECT_EQ(sramMemory(2), Memory::Sram2);
  for (Memory memory : {Memory::Scratch, Memory::Dram, Memory::Local})
    EXPECT_FALSE(sramChannelOf(memory)) << memoryName(memory);
}

TEST(MemoriesTest, ACommandAddressContainsTheSramChannel) {
  EXPECT_EQ(commandAddress(Memory::Scratch, 0x3000), 0x3000u);
  EXPECT_EQ(commandAddress(Memory::Dram, 0xa00000), 0xa00000u);
  EXPECT_EQ(commandAddress(Memory::Sram0, 0x50000), 0x50000u);
  EXPECT_EQ(commandAddress(Memory::Sram1, 16), 0x40000010u);
  EXPECT_EQ(commandAddress(Memory::Sram3, 16), 0xc0000010u);
}

TEST(MemoriesTest, EachMemoryHasAnAddressSpace) {
  EXPECT_EQ(addressSpaceOf(Memory::Scratch), ScratchSpace);
  EXPECT_EQ(addressSpaceOf(Memory::Sram0), SramSpace);
  EXPECT_EQ(addressSpaceOf(Memory::Sram3), SramSpace);
  EXPECT_EQ(addressSpaceOf(Memory::Dram), DramSpace);
  EXPECT_EQ(addressSpaceOf(Memory::Local), LocalSpace);
}

TEST(ChipLayoutTest, TheIxp2400HasSixEnginesForTheProgram) {
  ChipParameters chip = chipOf("ixp2400");
  EXPECT_EQ(txEngine(chip), 7u);
  EXPECT_EQ(appEngineCount(chip), 6u);
  EXPECT_EQ(clusterEngineCount(chip), 4u);
  EXPECT_EQ(stackSramBytes(chip), 1024u * 4 * 64);
  EXPECT_EQ(sramMemories(chip),
            (std::vector<Memory>{Memory::Sram0, Memory::Sram1}));
  EXPECT_FALSE(hasMemory(chip, Memory::Sram2));
}

TEST(ChipLayoutTest, TheIxp2800HasFourteenEnginesForTheProgram) {
  ChipParameters chip = chipOf("ixp2800");
  EXPECT_EQ(txEngine(chip), 15u);
  EXPECT_EQ(appEngineCount(chip), 14u);
  EXPECT_EQ(clusterEngineCount(chip), 8u);
  // 2,048 words for each of 128 contexts.
  EXPECT_EQ(stackSramBytes(chip), 2048u * 4 * 128);
  EXPECT_EQ(sharedMemories(chip).size(), 6u);
  EXPECT_TRUE(hasMemory(chip, Memory::Sram3));
}

TEST(ChipLayoutTest, GlobalsOfChannel0AreBetweenDescriptorsAndStacks) {
  ChipParameters chip = chipOf("ixp2400");
  GlobalsRange first = globalsRange(Memory::Sram0, chip);
  EXPECT_EQ(first.begin, Sram0GlobalsBase);
  EXPECT_EQ(first.end, chip.sramBytes - stackSramBytes(chip));
  GlobalsRange second = globalsRange(Memory::Sram1, chip);
  EXPECT_EQ(second.begin, 0u);
  EXPECT_EQ(second.end, chip.sramBytes);
}

TEST(ChipLayoutTest, GlobalsInDramAreAlignedToQuadwords) {
  GlobalsRange range = globalsRange(Memory::Dram, chipOf("ixp2400"));
  EXPECT_EQ(range.begin, DramGlobalsBase);
  EXPECT_EQ(range.end, XScaleBase);
  EXPECT_EQ(range.alignment, 8u);
}

} // namespace
