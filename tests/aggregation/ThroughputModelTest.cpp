// The throughput model keeps to closed formulas where there are some.

#include "aggregation/ThroughputModel.h"
#include "gtest/gtest.h"

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

/// What the model takes off an engine's time, and rounding.
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

TEST(ThroughputModelTest, LongLatencyIsBoundByTheContexts) {
  // 8 contexts, 10,100 cycles each: the queue for the engine adds little.
  EXPECT_NEAR(cyclesOf({makeStage(100, 10000, 1)}), 10100 / 8.0, 60);
}

TEST(ThroughputModelTest, AUnitBoundsAllEnginesTogether) {
  Stage stage = makeStage(100, 500, 6);
  stage.cost.busyOf(agg::Unit::Dram) = 400;
  target::ChipParameters chip;
  Prediction prediction = predict({stage}, chip);
  EXPECT_EQ(prediction.bottleneck, "dram");
  EXPECT_GE(double(chip.meClockHz) / prediction.packetsPerSecond, 400);
  EXPECT_GT(prediction.unitUtilization[size_t(agg::Unit::Dram)], 0.7);
}

TEST(ThroughputModelTest, TheSlowestStageOfAPipelineSetsTheRate) {
  Stage fast = makeStage(200, 0, 1), slow = makeStage(800, 0, 2);
  EXPECT_NEAR(cyclesOf({fast, slow}), 400, 400 * engineLoss);
  slow.messages = 0.25;
  EXPECT_NEAR(cyclesOf({fast, slow}), 200, 200 * engineLoss);
}

TEST(ThroughputModelTest, MoreEnginesNeverMakeItSlower) {
  double before = 0;
  for (unsigned engines = 1; engines <= 6; ++engines) {
    Stage stage = makeStage(300, 1500, engines);
    stage.cost.busyOf(agg::Unit::Sram0) = 40;
    target::ChipParameters chip;
    double rate = predict({stage}, chip).packetsPerSecond;
    EXPECT_GE(rate, before * 0.999) << engines;
    before = rate;
  }
}

TEST(ThroughputModelTest, ALockIsABoundThatNoDuplicationLifts) {
  Stage stage = makeStage(300, 1500, 6);
  stage.cost.locked = 500;
  EXPECT_NEAR(cyclesOf({stage}), 500, 1);
}
