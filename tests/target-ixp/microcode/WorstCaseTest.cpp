// Checks the longest iteration of small programs in assembly against sums by
// hand: branches, loops, waits, classes of paths.

#include "target-ixp/microcode/WorstCase.h"
#include "tests/target-ixp/microcode/Assembled.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::target;

namespace {

const target::ChipParameters chip;

/// A dispatch loop around `body`; the word at `turn#` is its head.
target::AssembledProgram assemble(const std::string &body) {
  target::AssembledProgram program = tests::assembled(
      ".reg a b\n.reg read $m $n\n.xfer_order $m $n\n.reg write $w\n"
      ".sig s t\n    immed[a, 0]\n    immed[b, 0]\n"
      "turn#:\n" +
      body + "    br[turn#]\n");
  program.loops.push_back({program.labels.at("turn"), 1, 0});
  return program;
}

WorstCase worst(const target::AssembledProgram &program) {
  auto found = worstCaseOf(program, chip);
  EXPECT_TRUE(bool(found)) << found.error().str();
  return *found;
}

/// `br[turn#]`: a word and two dead slots.
constexpr double back = 3;

} // namespace

TEST(WorstCaseTest, TheLongerSideOfABranchCounts) {
  auto program = assemble("    alu[--, a, -, b]\n"
                          "    beq[short#]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "short#:\n");
  WorstCase found = worst(program);
  EXPECT_EQ(found.cost.issue, 2 + 4 + back);
  EXPECT_EQ(found.path.size(), 7u);
}

TEST(WorstCaseTest, DeadSlotsMakeAShorterPathLonger) {
  auto program = assemble("    alu[--, a, -, b]\n"
                          "    beq[short#]\n"
                          "    alu[a, a, +, 1]\n"
                          "short#:\n");
  EXPECT_EQ(worst(program).cost.issue, 2 + 3 + back);
}

TEST(WorstCaseTest, ALoopCostsItsIterations) {
  auto program = assemble("    immed[b, 9]\n"
                          "iteration#:\n"
                          "    alu[b, b, -, 1]\n"
                          "    bne[iteration#]\n");
  program.loops.push_back({program.labels.at("iteration"), 2, 9});
  // The branch is taken eight times and once not.
  EXPECT_EQ(worst(program).cost.issue, 1 + 9 * 2 + 8 * 3 + back);
}

TEST(WorstCaseTest, BoundsOfNestedLoopsMultiply) {
  auto program = assemble("    alu[a, a, +, b]\n"
                          "outer#:\n"
                          "    immed[a, 3]\n"
                          "inner#:\n"
                          "    alu[a, a, -, 1]\n"
                          "    bne[inner#]\n"
                          "    alu[b, b, -, 1]\n"
                          "    bne[outer#]\n");
  program.loops.push_back({program.labels.at("outer"), 2, 5});
  program.loops.push_back({program.labels.at("inner"), 3, 3});
  double inner = 3 * 2 + 2 * 3;
  EXPECT_EQ(worst(program).cost.issue, 1 + 5 * (1 + inner + 2) + 4 * 3 + back);
}

TEST(WorstCaseTest, AnUnboundedLoopIsAnErrorWithItsLocation) {
  auto program = assemble("    alu[a, a, +, b]\n"
                          "iteration#:\n"
                          "    alu[b, b, -, 1]\n"
                          "    bne[iteration#]\n");
  program.loops.push_back({program.labels.at("iteration"), 2, 0});
  auto found = worstCaseOf(program, chip);
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(found.error().id, "E-target-ixp-147");
  EXPECT_EQ(found.error().file, "test.uc");
  EXPECT_NE(found.error().line, 0u);
}

TEST(WorstCaseTest, AWaitForOtherContextsIsOneIteration) {
  auto program = assemble("    alu[a, a, +, b]\n"
                          "full#:\n"
                          "    br_!inp_state[scr_ring1_status, space#]\n"
                          "    ctx_arb[voluntary]\n"
                          "    br[full#]\n"
                          "space#:\n");
  EXPECT_EQ(worst(program).cost.issue, 1 + (1 + 3 + 3) + 4 + back);
}

TEST(WorstCaseTest, ASwapWaitsForItsCommand) {
  auto program = assemble("    sram[read, $m, a, 0, 1], ctx_swap[s]\n");
  WorstCase found = worst(program);
  EXPECT_EQ(found.cost.latency, double(chip.sramLatency));
  EXPECT_EQ(found.cost.issue, 1 + double(chip.meSwapSlots) + back);
  EXPECT_EQ(found.cost.busyOf(target::SharedUnit::Sram0),
            double(chip.sramOpCycles));
}

TEST(WorstCaseTest, CommandsInFlightTogetherWaitForTheLongest) {
  auto program = assemble("    scratch[read, $m, a, 0, 1], sig_done[s]\n"
                          "    sram[read, $n, a, 0, 1], sig_done[t]\n"
                          "    ctx_arb[s]\n"
                          "    ctx_arb[t]\n");
  // The swap for the other signal has passed since the SRAM command.
  double first = double(chip.scratchLatency) - 1;
  double passed = first + 1 + double(chip.meSwapSlots);
  EXPECT_EQ(worst(program).cost.latency,
            first + double(chip.sramLatency) - passed);
}

TEST(WorstCaseTest, AWriteIsDoneWhenItsWordsAreFetched) {
  auto program = assemble("    alu[$w, --, B, a]\n"
                          "    sram[write, $w, a, 0, 1], ctx_swap[s]\n");
  EXPECT_LT(worst(program).cost.latency, double(chip.sramLatency));
}

//===----------------------------------------------------------------------===//
// Classes of paths
//===----------------------------------------------------------------------===//

namespace {

constexpr PathMark drop = {PathMark::Kind::Drop, 3},
                   other = {PathMark::Kind::Channel, 3};

/// A path of two instructions, and one of six that drops the packet.
target::AssembledProgram withDrop() {
  auto program = assemble("    alu[--, a, -, b]\n"
                          "    beq[drop#]\n"
                          "    br[turn#]\n"
                          "drop#:\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n");
  for (uint32_t i = 0; i < 4; ++i)
    program.marks[drop].insert(program.labels.at("drop") + i);
  return program;
}

double issueOf(WorstCases &cases, const std::set<PathMark> &without) {
  auto found = cases.without(without);
  EXPECT_TRUE(bool(found));
  return *found ? (*found)->cost.issue : 0;
}

} // namespace

TEST(WorstCaseTest, AClassLeavesOutItsMarks) {
  auto program = withDrop();
  WorstCases cases(program, chip);
  EXPECT_EQ(issueOf(cases, {}), 2 + 3 + 4 + back);
  EXPECT_EQ(issueOf(cases, {drop}), 2 + back);
  // One search after another: nothing of the last one is left.
  EXPECT_EQ(issueOf(cases, {other}), 2 + 3 + 4 + back);
  auto forwarded = cases.without({drop});
  ASSERT_TRUE(bool(forwarded) && *forwarded);
  EXPECT_EQ((*forwarded)->path.size(), 3u);
  EXPECT_EQ((*forwarded)->pathCost.issue, 2 + back);
}

TEST(WorstCaseTest, AClassMayHaveNoPath) {
  auto program = withDrop();
  program.marks[other].insert(program.labels.at("turn"));
  WorstCases cases(program, chip);
  auto found = cases.without({other});
  ASSERT_TRUE(bool(found));
  EXPECT_FALSE(found->has_value());
}

TEST(WorstCaseTest, ACallThatOnlyDropsIsOnNoOtherPath) {
  auto program = tests::assembled(".reg a b c\n"
                                  "    immed[a, 0]\n"
                                  "turn#:\n"
                                  "    alu[--, a, -, b]\n"
                                  "    beq[turn#]\n"
                                  "    load_addr[c, behind#]\n"
                                  "call#:\n"
                                  "    br[drop#]\n"
                                  "behind#:\n"
                                  "    alu[a, a, +, 1]\n"
                                  "    br[turn#]\n"
                                  "drop#:\n"
                                  "    alu[b, b, +, 1]\n"
                                  "    rtn[c]\n");
  const uint32_t callee = program.labels.at("drop");
  const uint32_t end = uint32_t(program.words.size());
  program.loops.push_back({program.labels.at("turn"), 1, 0});
  program.calls.push_back({program.labels.at("call"), callee});
  program.functions = {{"main", 0, callee}, {"drop", callee, end}};
  program.marks[drop] = {callee};
  WorstCases cases(program, chip);
  // The call takes 3 cycles, the return 4.
  const double address = program.labels.at("call") - 3;
  EXPECT_EQ(issueOf(cases, {}), 2 + address + 3 + (1 + 4) + 1 + back);
  EXPECT_EQ(issueOf(cases, {drop}), 2 + 3);
}

TEST(WorstCaseTest, FiguresMayComeFromDifferentPaths) {
  auto program = assemble("    alu[--, a, -, b]\n"
                          "    beq[reads#]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    alu[a, a, +, 1]\n"
                          "    br[turn#]\n"
                          "reads#:\n"
                          "    sram[read, $m, a, 0, 1], ctx_swap[s]\n");
  WorstCase found = worst(program);
  EXPECT_EQ(found.cost.issue, 2 + 8 + back);
  EXPECT_EQ(found.cost.latency, double(chip.sramLatency));
  EXPECT_EQ(found.cost.busyOf(target::SharedUnit::Sram0),
            double(chip.sramOpCycles));
  // The path is one of the two.
  EXPECT_EQ(found.pathCost.latency, double(chip.sramLatency));
  EXPECT_LT(found.pathCost.issue, found.cost.issue);
}
