// The model's queues agree with values computed by hand.

#include "aggregation/model/Queueing.h"
#include "aggregation/model/ThroughputModel.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace karakal;
using namespace karakal::agg;

namespace {

/// A cost of `count` segments of `cycles` each.
MessageCost evenSegments(double count, double cycles) {
  MessageCost cost;
  cost.issue = count * cycles;
  cost.segments = count;
  cost.segmentSquares = count * cycles * cycles;
  return cost;
}

MessageCost withoutCode(double issue) {
  MessageCost cost;
  cost.issue = issue;
  return cost;
}

Stage withCommands(SharedUnit unit, double count, double cycles,
                   double messages = 1) {
  Stage stage;
  stage.messages = messages;
  stage.cost.addCommands(unit, count, cycles);
  return stage;
}

} // namespace

TEST(QueueingTest, TheLoadOfOthersIsTheirShareAndResidualServiceTime) {
  std::vector<Stage> stages = {withCommands(SharedUnit::Dram, 7, 50),
                               withCommands(SharedUnit::Dram, 1, 10, 2),
                               withCommands(SharedUnit::Dram, 3, 20)};
  // 2 · 10 + 3 · 20 cycles and 2 · 100 + 3 · 400 squares per packet.
  UnitLoad load = loadOfOthers(stages, 0, SharedUnit::Dram, 0.005);
  EXPECT_DOUBLE_EQ(load.share, 0.4);
  EXPECT_DOUBLE_EQ(load.residual, 3.5);
  // A stage is no load to itself, nor to another unit.
  load = loadOfOthers({stages[0]}, 0, SharedUnit::Dram, 0.005);
  EXPECT_EQ(load.share + load.residual, 0);
  load = loadOfOthers(stages, 0, SharedUnit::Hash, 0.005);
  EXPECT_EQ(load.share + load.residual, 0);
}

TEST(QueueingTest, TheShareOfOthersStaysBelowOne) {
  std::vector<Stage> stages = {withCommands(SharedUnit::Dram, 1, 10),
                               withCommands(SharedUnit::Dram, 1, 1000)};
  EXPECT_DOUBLE_EQ(loadOfOthers(stages, 0, SharedUnit::Dram, 0.01).share,
                   0.999);
}

TEST(QueueingTest, OneContextNeverWaitsForItsEngine) {
  EXPECT_NEAR(engineMessages(evenSegments(1, 100), 1, 300), 1 / 400.0, 1e-12);
  EXPECT_NEAR(engineMessages(withoutCode(100), 1, 300), 1 / 400.0, 1e-12);
  EXPECT_NEAR(engineMessages(evenSegments(5, 20), 1, 300), 1 / 400.0, 1e-12);
}

TEST(QueueingTest, TwoContextsAreTheMachineInterferenceProblem) {
  // Exponential services, 100 cycles of work and 300 away, r = 1/3: the engine
  // is idle for 1 / (1 + 2r + 2r²) = 9/17 of the time.
  EXPECT_NEAR(engineMessages(withoutCode(100), 2, 300), 8 / 1700.0, 1e-12);
  // Equal services: 1 / (1 + 2r · e^r).
  double idle = 1 / (1 + 2 / 3.0 * std::exp(1 / 3.0));
  EXPECT_NEAR(engineMessages(evenSegments(1, 100), 2, 300), (1 - idle) / 100,
              1e-12);
}

TEST(QueueingTest, ThreeContextsQueueTwoDeep) {
  // Exponential services, r = 1/3: the engine is idle for
  // 1 / (1 + 3r + 6r² + 6r³) = 9/26 of the time.
  EXPECT_NEAR(engineMessages(withoutCode(100), 3, 300), 17 / 2600.0, 1e-12);
}

TEST(QueueingTest, ServicesOfMiddlingVariationFollowTheGammaDistribution) {
  // Two segments of 50 cycles with half of the variance of exponential ones,
  // 150 away: φ(1/150) = (1 + 1/6)^-2, idle 1 / (1 + 2r(1 + 13/36)) = 54/103.
  MessageCost cost = withoutCode(100);
  cost.segments = 2;
  cost.segmentSquares = 7500;
  EXPECT_NEAR(engineMessages(cost, 2, 300), 49 / 10300.0, 1e-12);
}

TEST(QueueingTest, AnEngineWithWorkForEveryContextIsNeverIdle) {
  EXPECT_NEAR(engineMessages(evenSegments(1, 100), 8, 1), 0.01, 1e-9);
  EXPECT_LT(engineMessages(evenSegments(1, 100), 8, 2000), 0.01 * 0.4);
}

TEST(QueueingTest, TheResidualOfEqualSegmentsIsHalfOfOne) {
  EXPECT_DOUBLE_EQ(residualSegment(evenSegments(4, 25)), 12.5);
}

TEST(QueueingTest, ALongSegmentIsFoundMoreOftenThanShortOnes) {
  MessageCost cost = withoutCode(100);
  cost.segments = 4;
  cost.segmentSquares = 70 * 70 + 3 * 10 * 10;
  EXPECT_DOUBLE_EQ(residualSegment(cost), 26);
}

TEST(QueueingTest, WithoutCodeEachCommandEndsASegment) {
  MessageCost cost = withoutCode(100);
  EXPECT_DOUBLE_EQ(residualSegment(cost), 100);
  cost.addCommands(SharedUnit::Scratch, 1, 2);
  cost.addCommands(SharedUnit::Sram0, 2, 9);
  EXPECT_DOUBLE_EQ(residualSegment(cost), 25);
}

TEST(QueueingTest, AnSramChannelWithCommandsOfOneKindAddsThemUp) {
  auto cyclesOf = [](const std::vector<Stage> &stages) {
    return sramChannelCycles(stages, SharedUnit::Sram0, SharedUnit::Sram0Write);
  };
  EXPECT_NEAR(cyclesOf({withCommands(SharedUnit::Sram0, 4, 9)}), 36, 1e-9);
  EXPECT_NEAR(cyclesOf({withCommands(SharedUnit::Sram0Write, 3, 5)}), 15, 1e-9);
  EXPECT_EQ(cyclesOf({withCommands(SharedUnit::Sram1, 4, 9)}), 0);
}

TEST(QueueingTest, ReadsAndWritesOfAnSramChannelOverlapInPart) {
  Stage stage = withCommands(SharedUnit::Sram0, 4, 9);
  stage.cost.addCommands(SharedUnit::Sram0Write, 4, 9);
  double cycles =
      sramChannelCycles({stage}, SharedUnit::Sram0, SharedUnit::Sram0Write);
  EXPECT_GT(cycles, 36 * 1.2); // more than one port alone
  EXPECT_LT(cycles, 72 * 0.8); // less than one after the other
}

TEST(QueueingTest, CommandsOfAnSramChannelOccurAsOftenAsTheirStages) {
  // A command of 10 cycles for each three of 20.
  std::vector<Stage> stages = {withCommands(SharedUnit::Sram0, 1, 10),
                               withCommands(SharedUnit::Sram0, 1, 20, 3)};
  EXPECT_NEAR(
      sramChannelCycles(stages, SharedUnit::Sram0, SharedUnit::Sram0Write), 70,
      1.2);
}

/// A channel of DRAM with two banks and a turn of the bus.
target::ChipParameters twoBanks() {
  target::ChipParameters chip;
  chip.dramBanks = 2;
  chip.dramChannels = 1;
  chip.dramBankCycles = 36;
  chip.dramQuadCycles = 2;
  chip.dramBurstQuads = 4;
  chip.dramTurnaroundCycles = 4;
  return chip;
}

TEST(QueueingTest, BanksOfDramWaitForTheirBus) {
  target::ChipParameters chip = twoBanks();
  // A bank is busy for 36 cycles of which 10 are the bus's. One alone never
  // waits; of two, each finds the bus busy for 10/36 of the time and waits for
  // one transfer then.
  double wait = 10 * (1 + 10.0 / 36);
  EXPECT_NEAR(dramCycles({withCommands(SharedUnit::Dram, 3, 18)}, chip),
              3 * (26 + wait) / 2, 1e-9);
  chip.dramBanks = 1;
  EXPECT_NEAR(dramCycles({withCommands(SharedUnit::Dram, 3, 36)}, chip), 3 * 36,
              1e-9);
}

TEST(QueueingTest, LongerCommandsOfDramHoldTheBusForTheirQuadwords) {
  target::ChipParameters chip = twoBanks();
  // 20 cycles of one of two banks are 3 quadwords: the bank is busy for 40
  // cycles, the bus for a burst of four and half of a turn.
  double cycles = 3 * (30 + 10 * (1 + 10.0 / 40)) / 2;
  EXPECT_NEAR(dramCycles({withCommands(SharedUnit::Dram, 3, 20)}, chip), cycles,
              1e-9);
  EXPECT_NEAR(dramCycles({withCommands(SharedUnit::Dram, 3, 20, 2)}, chip),
              2 * cycles, 1e-9);
  // 24 cycles are 7 quadwords, longer than a burst.
  EXPECT_NEAR(dramCycles({withCommands(SharedUnit::Dram, 3, 24)}, chip),
              3 * (32 + 16 * (1 + 16.0 / 48)) / 2, 1e-9);
}

TEST(QueueingTest, BanksShareTheBusOfTheirOwnChannelOnly) {
  target::ChipParameters chip;
  double one = dramCycles({withCommands(SharedUnit::Dram, 8, 9)}, chip);
  chip.dramChannels = 2;
  double two = dramCycles({withCommands(SharedUnit::Dram, 8, 4.5)}, chip);
  EXPECT_NEAR(two, one / 2, 1e-9);
}

TEST(QueueingTest, ACommandThatFillsTheBusTakesItAlone) {
  target::ChipParameters chip;
  // 64 quadwords take 128 cycles of the bus and 2 to turn it, and 162 of one of
  // four banks.
  double cycles = dramCycles({withCommands(SharedUnit::Dram, 1, 128)}, chip);
  EXPECT_GE(cycles, 130);
  EXPECT_LT(cycles, 1.05 * 130);
  EXPECT_EQ(dramCycles({withCommands(SharedUnit::Sram0, 1, 9)}, chip), 0);
}
