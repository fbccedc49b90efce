// The content-addressable memory.

#include "sim-ixp/engine/Cam.h"
#include "OneEngine.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

constexpr uint32_t hitBit = 1u << 7;

uint32_t entryOf(uint32_t result) { return result >> 3 & 15; }

} // namespace

TEST(CamTest, AMissNamesTheLeastRecentlyUsedEntry) {
  Cam cam;
  EXPECT_EQ(cam.lookup(77), 0u << 3);
  cam.write(0, 77, 5);
  EXPECT_EQ(entryOf(cam.lookup(78)), 1u);
  EXPECT_EQ(entryOf(cam.lookup(78)), 1u) << "a miss changes nothing";
}

TEST(CamTest, AHitReturnsTheEntryAndMakesItMostRecentlyUsed) {
  Cam cam;
  for (uint32_t i = 0; i < 16; ++i)
    cam.write(i, 100 + i, i);
  EXPECT_EQ(cam.lookup(100), hitBit);
  EXPECT_EQ(cam.lookup(105), 5u << 8 | hitBit | 5u << 3);
  EXPECT_EQ(entryOf(cam.lookup(999)), 1u) << "0 and 5 were used";
}

TEST(CamTest, WritingOnlyTheStateDoesNotChangeTheOrder) {
  Cam cam;
  for (uint32_t i = 0; i < 16; ++i)
    cam.write(i, 100 + i, 0);
  cam.writeState(0, 9);
  EXPECT_EQ(entryOf(cam.lookup(999)), 0u);
  EXPECT_EQ(cam.stateWord(0), 9u << 8);
}

TEST(CamTest, AfterAClearALookupOfZeroHits) {
  Cam cam;
  cam.write(3, 7, 1);
  cam.clear();
  EXPECT_EQ(cam.lookup(0) & hitBit, hitBit);
  EXPECT_EQ(entryOf(cam.lookup(7)), 1u) << "entry 0 was just used";
}

class CamInstructionTest : public OneEngine {};

TEST_F(CamInstructionTest, LookupLoadsAPointerToSixteenWords) {
  Program program = {immed(gprA(0), 77)};
  Instruction write = alu(Op::CamWrite, none(), gprA(0), imm(3));
  write.parameter = 6;
  program.push_back(write);
  Instruction lookup = alu(Op::CamLookup, gprA(1), gprA(0), none());
  lookup.loadLm0 = true;
  lookup.lmBlock = 1;
  program.push_back(lookup);
  program.insert(program.end(), 3, nop());
  program.push_back(move(localMemory(0, 2), imm(9)));
  program.push_back(alu(Op::CamReadTag, gprA(2), none(), imm(3)));
  program.push_back(alu(Op::CamReadState, gprA(3), none(), imm(3)));
  run(program);
  EXPECT_EQ(a(1), 6u << 8 | hitBit | 3u << 3);
  EXPECT_EQ(lm(256 + 3 * 16 + 2), 9u);
  EXPECT_EQ(a(2), 77u);
  EXPECT_EQ(a(3), 6u << 8);
}
