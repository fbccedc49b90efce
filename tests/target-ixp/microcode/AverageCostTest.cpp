// Tests of the average cost of a message and of constant propagation through
// registers, with small programs in assembly.

#include "target-ixp/microcode/AverageCost.h"
#include "target-ixp/microcode/RegisterValues.h"
#include "tests/target-ixp/microcode/Assembled.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::target;

namespace {

const target::ChipParameters chip;

/// `body` in a dispatch loop that polls scratch ring 4 first. Each word
/// executes once per message.
target::AssembledProgram assemble(const std::string &body) {
  target::AssembledProgram program =
      tests::assembled(".reg a b c\n.reg read $r0 $r1\n.xfer_order $r0 $r1\n"
                       ".reg write $w0 $w1\n.xfer_order $w0 $w1\n.sig s\n"
                       "turn#:\n    immed[a, 0x10]\n"
                       "    scratch[get, $r0, a, 0, 2], ctx_swap[s]\n" +
                       body + "    br[turn#]\n");
  program.frequencies.assign(program.words.size(), 1);
  program.taken.assign(program.words.size(), 0);
  return program;
}

MessageCost costOf(const std::string &body) {
  return averageCost(assemble(body), chip);
}

} // namespace

TEST(AverageCostTest, AConstantAddressGivesTheChannel) {
  MessageCost cost = costOf("    immed[a, 0x1000]\n    immed_w1[a, 0x4000]\n"
                            "    sram[read, $r0, a, 4, 1], ctx_swap[s]\n");
  EXPECT_EQ(cost.busyOf(target::SharedUnit::Sram0), 0);
  EXPECT_EQ(cost.busyOf(target::SharedUnit::Sram1), double(chip.sramOpCycles));
}

TEST(AverageCostTest, AnAddressInATableIsInItsChannel) {
  MessageCost cost = costOf("    immed[a, 0x4000, <<16]\n"
                            "    alu[b, --, B, $r0]\n    alu[c, b, +, a]\n"
                            "    sram[read, $r0, c, 0, 2], ctx_swap[s]\n"
                            "    sram[write, $w0, b, 0, 1], ctx_swap[s]\n");
  EXPECT_EQ(cost.busyOf(target::SharedUnit::Sram1),
            double(chip.sramOpCycles + chip.sramWordCycles));
  EXPECT_EQ(cost.busyOf(target::SharedUnit::Sram0), 0);
  EXPECT_EQ(cost.busyOf(target::SharedUnit::Sram0Write),
            double(chip.sramOpCycles));
}

TEST(AverageCostTest, PathsThatMeetMustAgreeOnTheChannel) {
  std::string ways = "    alu[b, --, B, $r0]\n    beq[other#]\n"
                     "    immed[a, 0x4000, <<16]\n    br[both#]\n"
                     "other#:\n    immed[a, 0x";
  std::string then = ", <<16]\nboth#:\n"
                     "    sram[read, $r0, a, 0, 1], ctx_swap[s]\n";
  double one = double(chip.sramOpCycles);
  EXPECT_EQ(costOf(ways + "4100" + then).busyOf(target::SharedUnit::Sram1),
            one);
  EXPECT_EQ(costOf(ways + "0100" + then).busyOf(target::SharedUnit::Sram0),
            one);
}

TEST(AverageCostTest, APathThatFewMessagesTakeIsIgnored) {
  auto program = assemble("    immed[a, 0x4000, <<16]\n    alu[b, --, B, $r0]\n"
                          "    beq[common#]\n    immed[a, 0x100, <<8]\n"
                          "common#:\n"
                          "    sram[read, $r0, a, 0, 1], ctx_swap[s]\n");
  EXPECT_EQ(averageCost(program, chip).busyOf(target::SharedUnit::Sram1), 0);
  program.frequencies[program.labels.at("common") - 1] = 1e-5f;
  EXPECT_GT(averageCost(program, chip).busyOf(target::SharedUnit::Sram1), 0);
}

TEST(AverageCostTest, AConstantSetBeforeTheFirstMessageIsKnown) {
  std::vector<target::Diagnostic> problems;
  auto program = target::assembleText(
      ".reg a b\n.reg read $r0 $r1\n.xfer_order $r0 $r1\n.sig s\n"
      "    immed[a, 0x4000, <<16]\n    immed[b, 0x10]\nturn#:\n"
      "    scratch[get, $r0, b, 0, 2], ctx_swap[s]\n"
      "    sram[read, $r0, a, 0, 1], ctx_swap[s]\n    br[turn#]\n",
      "test.uc", {}, problems);
  program->frequencies = {1e-6f, 1e-6f, 1, 1, 1};
  program->taken = {0, 0, 0, 0, 1};
  EXPECT_GT(averageCost(*program, chip).busyOf(target::SharedUnit::Sram1), 0);
}

TEST(AverageCostTest, AMessageToTxWithoutAHeadIsCounted) {
  std::string zero = "    immed[b, 0]\n    alu[$w0, --, B, $r0]\n";
  std::string put = "    scratch[put, $w0, b, 4, 2], ctx_swap[s]\n";
  MessageCost bare = costOf(zero + "    alu[$w1, --, B, b]\n" + put);
  EXPECT_EQ(bare.sent, 1);
  EXPECT_EQ(bare.sentWithoutHead, 1);
  MessageCost whole = costOf(zero + "    alu[$w1, --, B, $r1]\n" + put);
  EXPECT_EQ(whole.sent, 1);
  EXPECT_EQ(whole.sentWithoutHead, 0);
}

TEST(AverageCostTest, OnlyRingOneLeadsToTx) {
  MessageCost cost = costOf("    immed[b, 0]\n    alu[$w0, --, B, $r0]\n"
                            "    scratch[put, $w0, b, 0x14, 1], ctx_swap[s]\n");
  EXPECT_EQ(cost.sent, 0);
  EXPECT_GT(cost.busyOf(target::SharedUnit::Scratch), 0);
}

TEST(AverageCostTest, SegmentsExtendFromSwapToSwap) {
  // First two words and the read; then four words, the jump back with its dead
  // cycles, a word and the get.
  MessageCost cost = costOf("    alu[b, --, B, $r0]\n    alu[c, b, +, a]\n"
                            "    sram[read, $r0, c, 0, 1], ctx_swap[s]\n"
                            "    alu[b, --, B, $r0]\n    alu[b, b, +, a]\n"
                            "    alu[b, b, +, a]\n    alu[b, b, +, a]\n");
  double swap = 1 + double(chip.meSwapSlots), jump = 1 + 2;
  double toRead = 2 + swap, toGet = 4 + jump + 1 + swap;
  EXPECT_DOUBLE_EQ(cost.segments, 2);
  EXPECT_DOUBLE_EQ(cost.segmentSquares, toRead * toRead + toGet * toGet);
}

TEST(AverageCostTest, ASegmentContinuesThroughALoop) {
  auto squares = [](double rounds) {
    target::AssembledProgram program =
        assemble("    alu[b, --, B, $r0]\nmore#:\n    alu[b, b, -, 1]\n"
                 "    bne[more#]\n");
    for (size_t word : {3, 4})
      program.frequencies[word] = float(rounds);
    program.taken[4] = float(rounds - 1);
    return averageCost(program, chip).segmentSquares;
  };
  double swap = 1 + double(chip.meSwapSlots), jump = 1 + 2, branch = 1 + 3;
  double once = 1 + 2 + jump + 1 + swap;
  EXPECT_NEAR(squares(1), once * once, 1e-3);
  double ten = once + 9 * (1 + branch);
  EXPECT_NEAR(squares(10), ten * ten, 0.01 * ten * ten);
}
