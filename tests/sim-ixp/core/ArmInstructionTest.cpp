// Registers and latencies of ARM instructions, encoded by hand from the ARM
// Architecture Reference Manual; latencies as in ArmInstruction.h.

#include "sim-ixp/core/ArmInstruction.h"
#include <gtest/gtest.h>

using namespace karakal::sim;

namespace {

constexpr uint32_t r(uint32_t number) { return 1u << number; }
constexpr uint32_t sp = 13, lr = 14, pc = 15;

struct Case {
  const char *text;
  uint32_t word, sources, results;
  unsigned issue = 1, result = 1;
};

void expectDecoded(const Case &expected, bool isPredicted = false) {
  ArmInstruction found = decodeArm(expected.word);
  EXPECT_EQ(found.sources, expected.sources) << expected.text;
  EXPECT_EQ(found.results, expected.results) << expected.text;
  EXPECT_EQ(found.issue, expected.issue) << expected.text;
  EXPECT_EQ(found.result, expected.result) << expected.text;
  EXPECT_EQ(found.isPredicted, isPredicted) << expected.text;
}

} // namespace

TEST(ArmInstructionTest, DataProcessing) {
  const Case cases[] = {
      {"add r0, r1, r2", 0xe0810002, r(1) | r(2), r(0)},
      {"add r0, r1, #5", 0xe2810005, r(1), r(0)},
      {"mov r3, r4", 0xe1a03004, r(4), r(3)},
      {"mvn r3, r4", 0xe1e03004, r(4), r(3)},
      {"mov r3, #4", 0xe3a03004, 0, r(3)},
      {"tst r1, r2", 0xe1110002, r(1) | r(2), 0},
      {"teq r1, r2", 0xe1310002, r(1) | r(2), 0},
      {"cmp r1, r2", 0xe1510002, r(1) | r(2), 0},
      {"cmn r1, r2", 0xe1710002, r(1) | r(2), 0},
      {"tst r1, #1", 0xe3110001, r(1), 0},
      {"rsc r5, r6, r7", 0xe0e65007, r(6) | r(7), r(5)},
      {"orr r5, r6, r7", 0xe1865007, r(6) | r(7), r(5)},
      {"bic r5, r6, r7", 0xe1c65007, r(6) | r(7), r(5)},
      {"add r0, r1, r2, lsl r3", 0xe0810312, r(1) | r(2) | r(3), r(0), 2, 2},
      {"add r0, r1, r2, lsl #3", 0xe0810182, r(1) | r(2), r(0)},
      {"mov r0, r1, rrx", 0xe1a00061, r(1), r(0), 2, 2},
      {"mov r0, r1, ror #1", 0xe1a000e1, r(1), r(0)},
      // A jump takes the cycles of a wrong prediction.
      {"mov pc, lr", 0xe1a0f00e, r(lr), 0, 5},
      {"add pc, pc, r0, lsl r1", 0xe08ff110, r(pc) | r(0) | r(1), 0, 6, 2},
  };
  for (const Case &each : cases)
    expectDecoded(each);
}

TEST(ArmInstructionTest, Products) {
  const uint32_t two = r(1) | r(2);
  const Case cases[] = {
      {"mul r0, r1, r2", 0xe0000291, two, r(0), 1, 3},
      {"mla r0, r1, r2, r3", 0xe0203291, two | r(3), r(0), 1, 3},
      {"muls r0, r1, r2", 0xe0100291, two, r(0), 3, 3},
      {"umull r0, r1, r2, r3", 0xe0810392, r(2) | r(3), r(0) | r(1), 1, 4},
      {"umlal r0, r1, r2, r3", 0xe0a10392, r(0) | r(1) | r(2) | r(3),
       r(0) | r(1), 1, 4},
      {"umulls r0, r1, r2, r3", 0xe0910392, r(2) | r(3), r(0) | r(1), 4, 4},
      {"smlabb r4, r1, r2, r3", 0xe1043281, two | r(3), r(4), 1, 2},
  };
  for (const Case &each : cases)
    expectDecoded(each);
}

TEST(ArmInstructionTest, LoadsAndStores) {
  const Case cases[] = {
      {"ldr r0, [r1]", 0xe5910000, r(1), r(0), 1, 3},
      {"ldr r0, [r1, r2]", 0xe7910002, r(1) | r(2), r(0), 1, 3},
      {"ldrb r0, [r1]", 0xe5d10000, r(1), r(0), 1, 3},
      {"str r0, [r1]", 0xe5810000, r(0) | r(1), 0},
      {"str r0, [r1, r2]", 0xe7810002, r(0) | r(1) | r(2), 0},
      {"ldr pc, [r1]", 0xe591f000, r(1), 0, 8, 3},
      {"ldrh r0, [r1]", 0xe1d100b0, r(1), r(0), 1, 3},
      {"ldrh r0, [r1, r2]", 0xe19100b2, r(1) | r(2), r(0), 1, 3},
      {"strh r0, [r1]", 0xe1c100b0, r(0) | r(1), 0},
      {"ldrsb r0, [r1, r2]", 0xe19100d2, r(1) | r(2), r(0), 1, 3},
      {"ldrsh r0, [r1]", 0xe1d100f0, r(1), r(0), 1, 3},
      {"ldrd r2, [r1]", 0xe1c120d0, r(1), r(2) | r(3), 1, 4},
      {"strd r2, [r1]", 0xe1c120f0, r(1) | r(2) | r(3), 0, 2},
      {"swp r0, r2, [r1]", 0xe1010092, r(1) | r(2), r(0), 5, 5},
  };
  for (const Case &each : cases)
    expectDecoded(each);
}

TEST(ArmInstructionTest, BlocksTakeACycleForEachRegister) {
  const Case cases[] = {
      {"ldmia r0, {r1-r3}", 0xe890000e, r(0), 0xe, 5, 5},
      {"ldmia r0, {r1}", 0xe8900002, r(0), 2, 3, 3},
      {"stmia r0, {r1, r2}", 0xe8800006, r(0) | r(1) | r(2), 0, 4},
      // With the program counter, three registers or fewer take as long.
      {"ldmia sp!, {r4, pc}", 0xe8bd8010, r(sp), r(4), 10, 4},
      {"ldmia sp!, {r4, r5, pc}", 0xe8bd8030, r(sp), r(4) | r(5), 10, 5},
      {"ldmia sp!, {r4-r7, pc}", 0xe8bd80f0, r(sp), 0xf0, 12, 7},
  };
  for (const Case &each : cases)
    expectDecoded(each);
}

TEST(ArmInstructionTest, Branches) {
  expectDecoded({"b", 0xea000000, 0, 0}, true);
  expectDecoded({"bne", 0x1a000000, 0, 0}, true);
  expectDecoded({"bl", 0xeb000000, 0, r(lr)}, true);
  const Case cases[] = {
      {"blx label", 0xfa000000, 0, r(lr), 5},
      {"bx r3", 0xe12fff13, r(3), 0, 5},
      {"blx r3", 0xe12fff33, r(3), r(lr), 5},
      {"pld [r1]", 0xf5d1f000, 0, 0},
  };
  for (const Case &each : cases)
    expectDecoded(each);
}

TEST(ArmInstructionTest, OtherInstructions) {
  const Case cases[] = {
      {"clz r0, r1", 0xe16f0f11, r(1), r(0)},
      {"qadd r4, r1, r2", 0xe1024051, r(1) | r(2), r(4), 1, 2},
      {"mrs r6, cpsr", 0xe10f6000, 0, r(6), 1, 2},
      {"msr cpsr_f, r5", 0xe128f005, r(5), 0, 2, 2},
      {"mcr p15, 0, r0, c0, c0", 0xee000f10, 0, 0},
      {"swi 0", 0xef000000, 0, 0},
  };
  for (const Case &each : cases)
    expectDecoded(each);
}
