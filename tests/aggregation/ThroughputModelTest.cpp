// The throughput model against closed formulas where they exist.

#include "aggregation/model/ThroughputModel.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace karakal;
using namespace karakal::agg;

namespace {

Stage makeStage(double issue, double latency, unsigned engines) {
  Stage stage;
  stage.name = "main";
  stage.cost.issue = issue;
  stage.cost.latency = latency;
  stage.engines = engines;
  return stage;
}

/// The relative loss of an engine's time in the model, and rounding.
constexpr double engineLoss = 0.08;

double cyclesOf(const std::vector<Stage> &stages) {
  target::ChipParameters chip;
  return double(chip.meClockHz) / predict(stages, chip).packetsPerSecond;
}

} // namespace

TEST(ThroughputModelTest, AnEngineThatNeverWaitsIsBoundByItsInstructions) {
  EXPECT_NEAR(cyclesOf({makeStage(1000, 0, 1)}), 1000, 1000 * engineLoss);
  EXPECT_NEAR(cyclesOf({makeStage(1000, 0, 4)}), 250, 250 * engineLoss);
}

TEST(ThroughputModelTest, ALongSegmentDelaysOtherContextsMore) {
  // The same instructions and waits, in equal segments and with one long one.
  Stage even = makeStage(140, 500, 1), uneven = even;
  even.cost.segments = uneven.cost.segments = 5;
  even.cost.segmentSquares = 5 * 28 * 28;
  uneven.cost.segmentSquares = 100 * 100 + 4 * 10 * 10;
  // In a random simulation eight contexts take 140.3 and 145.4 cycles per
  // message.
  EXPECT_NEAR(cyclesOf({even}), 140.3, 1.5);
  EXPECT_NEAR(cyclesOf({uneven}), 145.4, 1.5);
  EXPECT_GT(cyclesOf({uneven}), 1.02 * cyclesOf({even}));
  // With short waits the engine is always busy.
  uneven.cost.latency = 20;
  EXPECT_NEAR(cyclesOf({uneven}), 140, 140 * engineLoss);
}

TEST(ThroughputModelTest, LongLatencyIsBoundByTheContexts) {
  // 8 contexts, 10,100 cycles each: the queue for the engine adds little.
  EXPECT_NEAR(cyclesOf({makeStage(100, 10000, 1)}), 10100 / 8.0, 60);
}

TEST(ThroughputModelTest, AUnitBoundsAllEnginesTogether) {
  Stage stage = makeStage(100, 500, 6);
  stage.cost.addCommands(target::SharedUnit::Dram, 20, 20);
  target::ChipParameters chip;
  Prediction prediction = predict({stage}, chip);
  EXPECT_EQ(prediction.bottleneck, "dram");
  EXPECT_GE(double(chip.meClockHz) / prediction.packetsPerSecond, 400);
  EXPECT_GT(prediction.unitUtilization[size_t(target::SharedUnit::Dram)], 0.7);
}

TEST(ThroughputModelTest, TheSlowestStageOfAPipelineSetsTheRate) {
  Stage fast = makeStage(200, 0, 1), slow = makeStage(800, 0, 2);
  EXPECT_NEAR(cyclesOf({fast, slow}), 400, 400 * engineLoss);
  slow.messages = 0.25;
  EXPECT_NEAR(cyclesOf({fast, slow}), 200, 200 * engineLoss);
}

TEST(ThroughputModelTest, MoreEnginesNeverLowerTheRate) {
  double before = 0;
  for (unsigned engines = 1; engines <= 6; ++engines) {
    Stage stage = makeStage(300, 1500, engines);
    stage.cost.addCommands(target::SharedUnit::Sram0, 4, 10);
    target::ChipParameters chip;
    double rate = predict({stage}, chip).packetsPerSecond;
    EXPECT_GE(rate, before * 0.999) << engines;
    before = rate;
  }
}

TEST(ThroughputModelTest, MoreEnginesDoNotLiftTheLimitOfALock) {
  Stage stage = makeStage(300, 1500, 6);
  stage.cost.locked = 500;
  EXPECT_NEAR(cyclesOf({stage}), 500, 1);
}

TEST(ThroughputModelTest, TheHolderOfALockWaitsForItsBusyEngine) {
  // While a context holds the lock and returns from swaps, other contexts keep
  // its engine busy: for about one message per engine if a message is one
  // segment, for next to nothing if segments are short.
  for (unsigned engines : {1, 2, 4}) {
    Stage stage = makeStage(1000, 1500, engines);
    stage.cost.locked = 500;
    stage.cost.lockedSwaps = 8;
    stage.cost.segments = 1;
    stage.cost.segmentSquares = 1000 * 1000;
    EXPECT_NEAR(cyclesOf({stage}), 500 + 1000.0 / engines, 20) << engines;
    stage.cost.segments = 1000;
    stage.cost.segmentSquares = 1000;
    EXPECT_NEAR(cyclesOf({stage}), std::max(500 + 4.0, 1010.0 / engines), 30)
        << engines;
  }
}

namespace {

/// Returns the cycles per packet of an SRAM channel that limits the rate.
double channelCycles(double reads, double writes, double cycles) {
  Stage stage = makeStage(10, 100, 6);
  stage.cost.addCommands(target::SharedUnit::Sram0, reads, cycles);
  stage.cost.addCommands(target::SharedUnit::Sram0Write, writes, cycles);
  return cyclesOf({stage});
}

} // namespace

TEST(ThroughputModelTest, AnSramChannelStartsItsCommandsInOrder) {
  // Half of the equally long commands in random order find the other port free
  // when the command before them starts: two commands take the time of 4/3, not
  // of one. Commands of the same kind follow each other a little more often.
  double one = channelCycles(100, 0, 10), both = channelCycles(100, 100, 10);
  EXPECT_NEAR(one, 1000, 60);
  EXPECT_NEAR(both / one, 1.37, 0.05);
}

TEST(ThroughputModelTest, ALongCommandDelaysLaterCommandsMore) {
  auto withWrites = [](double count, double cycles) {
    Stage slow = makeStage(100, 1000, 1), other = makeStage(10, 100, 1);
    slow.cost.addCommands(target::SharedUnit::Dram, 5, 10);
    other.cost.addCommands(target::SharedUnit::Dram, count, cycles);
    return cyclesOf({slow, other});
  };
  EXPECT_GT(withWrites(1, 60), withWrites(6, 10) * 1.01);
}

TEST(ThroughputModelTest, DroppedPacketsCostTxNothing) {
  Stage stage = makeStage(1, 1, 6);
  target::ChipParameters chip;
  chip.portsRateBps *= 100;
  auto bound = [&](double sent) {
    stage.cost.sent = sent;
    Prediction prediction = predict({stage}, chip);
    return prediction.packetsPerSecond;
  };
  EXPECT_NEAR(bound(2) * 2, bound(1), bound(1) * 0.01); // two copies
  EXPECT_GE(bound(0.5), bound(1));
}

TEST(ThroughputModelTest, AnEngineIsBoundByItsInstructionsOrItsContexts) {
  target::ChipParameters chip;
  EXPECT_DOUBLE_EQ(engineRate(makeStage(100, 300, 1).cost, chip), 1 / 100.0);
  EXPECT_DOUBLE_EQ(engineRate(makeStage(100, 1500, 1).cost, chip), 8 / 1600.0);
  chip.meContexts = 4;
  EXPECT_DOUBLE_EQ(engineRate(makeStage(100, 1500, 1).cost, chip), 4 / 1600.0);
}

TEST(ThroughputModelTest, LocksOfAllStagesAddUp) {
  target::ChipParameters chip;
  Stage first = makeStage(100, 0, 1), second = first, free = first;
  first.cost.locked = 100;
  first.messages = 2;
  second.cost.locked = 50;
  EXPECT_NEAR(lockRate({first, free, second}, chip), 1 / 250.0, 1e-12);
  EXPECT_TRUE(std::isinf(lockRate({free}, chip)));
}

TEST(ThroughputModelTest, AHeldLockWaitsForTheBusyEngine) {
  target::ChipParameters chip;
  Stage stage = makeStage(100, 0, 1);
  stage.cost.locked = 200;
  stage.cost.lockedSwaps = 1;
  // At the rate r seven of eight contexts keep the engine busy for 100r of the
  // time, and 100 cycles are left of their segment: r(200 + 8750r) = 1.
  double rate = (std::sqrt(200.0 * 200 + 4 * 8750) - 200) / (2 * 8750);
  EXPECT_NEAR(lockRate({stage}, chip), rate, 1e-9);
  // The wait is at most the instructions of one message: r(200 + 100) = 1.
  stage.cost.lockedSwaps = 100;
  EXPECT_NEAR(lockRate({stage}, chip), 1 / 300.0, 1e-9);
}

TEST(ThroughputModelTest, TheHolderOfALockWaitsForTheOtherContextsAlone) {
  target::ChipParameters chip;
  Stage stage = makeStage(100, 0, 1);
  stage.cost.locked = 200;
  stage.cost.lockedSwaps = 1;
  // A wait of `slope` cycles at one packet a cycle: r(200 + slope · r) = 1.
  auto expectRate = [&](double slope) {
    double root = std::sqrt(200.0 * 200 + 4 * slope);
    EXPECT_NEAR(lockRate({stage}, chip), (root - 200) / (2 * slope), 1e-9);
  };
  stage.contexts = 2; // one other, half of the messages
  expectRate(5000);
  stage.contexts = 0; // seven others of eight
  stage.engines = 2;
  expectRate(4375);
  stage.engines = 1;
  stage.messages = 0.5; // at which the engine is busy for half of the time
  double root = std::sqrt(100.0 * 100 + 4 * 2187.5);
  EXPECT_NEAR(lockRate({stage}, chip), (root - 100) / (2 * 2187.5), 1e-9);
  stage.messages = stage.contexts = 1; // none
  EXPECT_NEAR(lockRate({stage}, chip), 1 / 200.0, 1e-12);
}

TEST(ThroughputModelTest, ASlowMediaBusLimitsBothDirections) {
  target::ChipParameters chip;
  chip.msfClockHz = 12'500'000; // 48 engine cycles
  Stage stage = makeStage(1, 1, 6);
  auto cyclesWith = [&](unsigned bytesAdded) {
    Prediction prediction = predict({stage}, chip, {64, bytesAdded});
    EXPECT_EQ(prediction.limitedBy, LimitKind::MediaBus);
    EXPECT_EQ(prediction.bottleneck, "media bus");
    return double(chip.meClockHz) / prediction.packetsPerSecond;
  };
  // 60 bytes are 15 words and one cycle to select the port; 124 bytes are two
  // mpackets of 16 and 15 words.
  EXPECT_NEAR(cyclesWith(0), 16 * 48, 1e-3);
  EXPECT_NEAR(cyclesWith(64), (17 + 16) * 48, 1e-3);
  stage.cost.sent = 2;
  EXPECT_NEAR(cyclesWith(0), 2 * 16 * 48, 1e-3);
  stage.cost.sent = 0.5; // what is received still passes
  EXPECT_NEAR(cyclesWith(0), 16 * 48, 1e-3);
}

TEST(ThroughputModelTest, FramesThatGrowOrMultiplyFillTheWire) {
  target::ChipParameters chip;
  chip.portsCount = 1;
  Stage stage = makeStage(1, 1, 6);
  auto rate = [&](unsigned bytesAdded) {
    return predict({stage}, chip, {64, bytesAdded}).packetsPerSecond;
  };
  EXPECT_NEAR(rate(36), 1e9 / (8 * 120), 1);
  stage.cost.sent = 2;
  EXPECT_NEAR(rate(0), 1e9 / (8 * 84 * 2), 1);
  stage.cost.sent = 0.5;
  EXPECT_NEAR(rate(0), 1e9 / (8 * 84), 1);
}

TEST(ThroughputModelTest, UtilizationsAreTheRateTimesTheCycles) {
  target::ChipParameters chip;
  Stage stage = makeStage(10, 0, 6);
  stage.cost.addCommands(target::SharedUnit::Hash, 60, 16);
  for (double messages : {1.0, 0.5}) {
    stage.messages = messages;
    Prediction prediction = predict({stage}, chip);
    double rate = prediction.packetsPerSecond / double(chip.meClockHz);
    ASSERT_EQ(prediction.stageUtilization.size(), 1u);
    EXPECT_NEAR(prediction.stageUtilization[0], rate * messages * 10 / 6, 1e-9);
    double busy = prediction.unitUtilization[size_t(target::SharedUnit::Hash)];
    EXPECT_NEAR(busy, rate * messages * 960, 1e-9);
    EXPECT_LE(busy, 0.97 + 1e-9) << "3 % of a unit's time are lost";
    EXPECT_GT(busy, 0.9);
  }
  stage.messages = 1;
  EXPECT_NEAR(double(chip.meClockHz) /
                  predict({stage}, chip, {}, {0.5}).packetsPerSecond,
              1920, 60);
}

TEST(ThroughputModelTest, AnSramChannelIsALimitByItsName) {
  target::ChipParameters chip;
  using target::SharedUnit;
  for (auto [unit, name] : {std::pair(SharedUnit::Sram0, "sram0"),
                            std::pair(SharedUnit::Sram1, "sram1"),
                            std::pair(SharedUnit::Sram1Write, "sram1")}) {
    Stage stage = makeStage(10, 100, 6);
    stage.cost.addCommands(unit, 100, 10);
    EXPECT_EQ(predict({stage}, chip).bottleneck, name);
  }
}

TEST(ThroughputModelTest, AStageOnFewContextsIsBoundByThem) {
  Stage stage = makeStage(100, 10000, 1);
  stage.contexts = 4;
  EXPECT_NEAR(cyclesOf({stage}), 10100 / 4.0, 60);
  stage.contexts = 1;
  EXPECT_NEAR(cyclesOf({stage}), 10100, 1);
  stage.engines = 2;
  EXPECT_NEAR(cyclesOf({stage}), 5050, 1);
}

TEST(ThroughputModelTest, TxReadsTheDescriptorsOfMessagesWithoutHead) {
  target::ChipParameters chip;
  auto cyclesOfChannel = [&](double sent, double withoutHead) {
    Stage stage = makeStage(1000, 0, 1);
    stage.cost.sent = sent;
    stage.cost.sentWithoutHead = withoutHead;
    Prediction prediction = predict({stage}, chip);
    double busy = prediction.unitUtilization[size_t(target::SharedUnit::Sram0)];
    return busy * double(chip.meClockHz) / prediction.packetsPerSecond;
  };
  // Two words are 9 + 3 cycles.
  double one = cyclesOfChannel(1, 0), two = cyclesOfChannel(2, 0);
  EXPECT_NEAR(cyclesOfChannel(1, 1), one + 12, 1e-6);
  EXPECT_NEAR(cyclesOfChannel(1, 0.5), one + 6, 1e-6);
  EXPECT_NEAR(cyclesOfChannel(1, 3), one + 12, 1e-6);
  EXPECT_NEAR(cyclesOfChannel(2, 1), two + 12, 1e-6);
  EXPECT_NEAR(cyclesOfChannel(2, 2), two + 24, 1e-6);
}

TEST(ThroughputModelTest, TheLimitHasAKindAndAName) {
  target::ChipParameters chip;
  auto limitOf = [&](const Stage &stage) {
    Prediction prediction = predict({stage}, chip);
    return std::make_pair(prediction.limitedBy, prediction.bottleneck);
  };
  using Limit = std::pair<LimitKind, std::string>;
  EXPECT_EQ(limitOf(makeStage(1000, 0, 1)),
            Limit(LimitKind::Engines, "engines of main"));
  EXPECT_EQ(limitOf(makeStage(100, 10000, 1)),
            Limit(LimitKind::Contexts, "contexts of main"));
  Stage locked = makeStage(10, 0, 6);
  locked.cost.locked = 1000;
  EXPECT_EQ(limitOf(locked), Limit(LimitKind::Locks, "locks"));
  Stage hashing = makeStage(10, 0, 6);
  hashing.cost.addCommands(target::SharedUnit::Hash, 60, 16);
  EXPECT_EQ(limitOf(hashing), Limit(LimitKind::Unit, "hash"));
  EXPECT_EQ(limitOf(makeStage(1, 1, 6)).first, LimitKind::Ports);
}

TEST(ThroughputModelTest, FramesThatGrowCostTxMore) {
  target::ChipParameters chip;
  chip.portsRateBps *= 100;
  chip.msfClockHz *= 8;
  auto rateOf = [&](unsigned bytesAdded, bool keepsOrder) {
    return predict({makeStage(1, 1, 6)}, chip, {64, bytesAdded, keepsOrder})
        .packetsPerSecond;
  };
  // 60 bytes leave in one mpacket; with 4 more they begin inside a quadword and
  // reach into a second one.
  EXPECT_EQ(Frames({64, 0}).mpacketsSent(), 1u);
  EXPECT_EQ(Frames({64, 4}).mpacketsSent(), 2u);
  EXPECT_EQ(Frames({64, 68}).mpacketsSent(), 3u);
  EXPECT_EQ(Frames({1518, 0}).mpacketsSent(), 24u);
  EXPECT_LT(rateOf(4, true), 0.8 * rateOf(0, true));
  EXPECT_EQ(rateOf(4, true), rateOf(0 + 1, true));
  EXPECT_LT(rateOf(4, true), 0.9 * rateOf(4, false));
}

TEST(ThroughputModelTest, SmallFramesAreBoundByTheWire) {
  target::ChipParameters chip;
  chip.portsCount = 1;
  // 64 bytes and 20 of gap and preamble at 1 Gbit/s.
  EXPECT_NEAR(predict({makeStage(1, 1, 6)}, chip).packetsPerSecond,
              1e9 / (8 * 84), 1);
  EXPECT_NEAR(predict({makeStage(1, 1, 6)}, chip, {1518}).packetsPerSecond,
              1e9 / (8 * 1538), 1);
}
