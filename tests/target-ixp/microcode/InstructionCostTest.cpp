// Checks the cost of commands and the lengths of compute segments against
// values that are computed by hand from the defaults of ChipParameters.def.

#include "target-ixp/microcode/InstructionCost.h"
#include "support/Error.h"
#include "target-ixp/microcode/SegmentLengths.h"
#include "tests/target-ixp/microcode/Assembled.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::target;

namespace {

const ChipParameters chip;

void expectCost(SharedUnit unit, CommandKind kind, unsigned words,
                double latency, double busy) {
  CommandCost cost = commandCost(chip, unit, kind, words);
  EXPECT_EQ(cost.latency, latency);
  EXPECT_EQ(cost.busy, busy);
}

AssembledProgram withFrequencies(const std::string &text) {
  AssembledProgram program = tests::assembled(text);
  program.frequencies.assign(program.words.size(), 1);
  program.taken.assign(program.words.size(), 0);
  return program;
}

TEST(InstructionCost, EachFurtherScratchWordOccupiesBusAndUnit) {
  expectCost(SharedUnit::Scratch, CommandKind::Memory, 1, 60, 2);
  // Latency 60 + 2 words * 2 cycles; busy 2 + 2 words * 1 cycle.
  expectCost(SharedUnit::Scratch, CommandKind::Memory, 3, 64, 4);
  expectCost(SharedUnit::Scratch, CommandKind::Atomic, 1, 60, 4);
}

TEST(InstructionCost, AnSramBurstIsAsSlowAsTheSlowerOfPortAndBus) {
  expectCost(SharedUnit::Sram0, CommandKind::Memory, 1, 90, 9);
  // Latency 90 + 3 words * max(3, 2); busy 9 + 3 words * 3 cycles.
  expectCost(SharedUnit::Sram1, CommandKind::Memory, 4, 99, 18);
  expectCost(SharedUnit::Sram0, CommandKind::Atomic, 1, 90, 12);
  expectCost(SharedUnit::Sram0, CommandKind::Queue, 1, 90, 9);
}

TEST(InstructionCost, TheBankLimitsAShortDramAccessAndTheBusALongOne) {
  // One quadword: bus 4 * 2 cycles, a bank 36 cycles of which there are 4.
  expectCost(SharedUnit::Dram, CommandKind::Memory, 2, 122, 9);
  // Eight quadwords: bus 8 * 2 cycles, a bank (36 + 7 * 2) / 4.
  expectCost(SharedUnit::Dram, CommandKind::Memory, 16, 150, 16);
}

TEST(InstructionCost, ACommandHasItsUnitAndPorts) {
  auto program = tests::assembled("sram[write, $0, a0, 0, 2], sig_done[s1]\n"
                                  "ctx_arb[s1]\nctx_arb[kill]\n");
  WordFlow flow(program);
  auto write = commandOf(flow.instructions[0], chip);
  ASSERT_TRUE(write);
  EXPECT_EQ(write->unit, SharedUnit::Sram0);
  EXPECT_FALSE(write->usesReadPort);
  EXPECT_TRUE(write->usesWritePort);
  // Request 12, return 12, two words of 2 cycles each.
  EXPECT_EQ(write->cost.latency, 28);
  EXPECT_FALSE(commandOf(flow.instructions[1], chip));
}

TEST(InstructionCost, AnIndirectReferenceStatesTheCount) {
  auto program = tests::assembled("immed[--, 0x3c0, <<16]\n"
                                  "sram[read, $0, a0, 0, max_8], indirect_ref, "
                                  "ctx_swap[s1]\nctx_arb[kill]\n");
  auto read = commandOf(WordFlow(program).instructions[1], chip);
  ASSERT_TRUE(read);
  // Fifteen words.
  EXPECT_EQ(read->cost.latency, 90 + 14 * 3);
  EXPECT_EQ(read->cost.busy, 9 + 14 * 3);
}

TEST(SegmentLengths, ASegmentEndsWithTheDeadCyclesOfItsSwap) {
  auto program = withFrequencies("ctx_arb[voluntary]\nnop\nnop\n"
                                 "ctx_arb[voluntary]\nctx_arb[kill]\n");
  WordFlow flow(program);
  std::vector<double> lengths = segmentLengths(program, flow, chip);
  // Two words, the swap and its two dead cycles.
  EXPECT_EQ(lengths[0], 5);
  EXPECT_EQ(lengths[3], 3);
  EXPECT_EQ(lengths[4], 0);
}

TEST(SegmentLengths, AReturnContinuesAfterAllCallsByTheirFrequency) {
  auto program = withFrequencies("br[f#]\nctx_arb[voluntary]\nbr[f#]\nnop\n"
                                 "ctx_arb[kill]\nf#:\nnop\nrtn[a0]\n");
  program.functions = {{"main", 0, 5}, {"f", 5, 7}};
  program.calls = {{0, 5}, {2, 5}};
  program.frequencies[2] = 3;
  program.taken[0] = 1, program.taken[2] = 3;
  WordFlow flow(program);
  std::vector<double> lengths = segmentLengths(program, flow, chip);
  // Once a swap of three cycles, three times a word and such a swap.
  EXPECT_DOUBLE_EQ(lengths[6], (1 * 3 + 3 * 4) / 4.0);
}

TEST(SegmentLengths, NeedTheFrequencyOfEveryWord) {
  auto program = tests::assembled("nop\nctx_arb[kill]\n");
  WordFlow flow(program);
  EXPECT_EXIT(segmentLengths(program, flow, chip),
              testing::ExitedWithCode(ExitInternalError),
              "frequency of every word");
}

} // namespace
