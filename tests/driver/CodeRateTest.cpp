// What the driver concludes from generated code: stages and engines.

#include "tests/driver/CodeRates.h"

#include "driver/cores/CodePrediction.h"

using namespace karakal;
using namespace karakal::driver;
using ::testing::ElementsAre;

namespace {

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

TEST_F(CodeRates, AStageHasTheCostAndTheEnginesOfItsAggregate) {
  auto engines = aggregates({1, 2}, 10, {3}, 20);
  engines[1].contexts = 4;
  const std::vector<agg::Stage> found = stages(engines);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "front");
  EXPECT_EQ(found[0].engines, 2u);
  EXPECT_EQ(found[0].contexts, 0u);
  EXPECT_EQ(found[0].cost.issue, 10 + emptyIssue());
  EXPECT_EQ(found[1].name, "back");
  EXPECT_EQ(found[1].engines, 1u);
  EXPECT_EQ(found[1].contexts, 4u);
  EXPECT_EQ(found[1].cost.issue, 20 + emptyIssue());
}

TEST_F(CodeRates, WithoutAProfileEachStageTakesEachPacketOnce) {
  for (const agg::Stage &stage : stages(aggregates({1}, 1, {2}, 1)))
    EXPECT_EQ(stage.messages, 1);
}

TEST_F(CodeRates, WithAProfileAStageTakesTheMessagesOfItsRings) {
  read(twoAggregates, Profile{200, 50});
  const auto found = stages(aggregates({1}, 1, {2}, 1));
  EXPECT_EQ(found[0].messages, 1);
  // A channel that is a call and one to Tx bring no messages.
  EXPECT_EQ(found[1].messages, 0.25);
}

TEST_F(CodeRates, AStageThatTakesNoMessageStillHasARate) {
  read(twoAggregates, Profile{200, 0});
  EXPECT_EQ(stages(aggregates({1}, 1, {2}, 1))[1].messages, 1e-6);
}

TEST_F(CodeRates, AnEmptyProfileIsNone) {
  read(twoAggregates, Profile{0, 0});
  EXPECT_EQ(stages(aggregates({1}, 1, {2}, 1))[1].messages, 1);
}

TEST_F(CodeRates, TheSlowestStageLimitsThePrediction) {
  const auto engines = aggregates({1}, 100, {2}, 1000);
  const agg::Prediction found = predictionOf(*module, engines);
  EXPECT_EQ(found.bottleneck, "engines of back");
  EXPECT_NEAR(found.packetsPerSecond / (600e6 / (1000 + emptyIssue())), 1,
              0.02);
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

TEST_F(CodeRates, EnginesAreSharedOutByTheCostOfTheCode) {
  // With 3 and 3 engines a packet takes 300 / 3 cycles at the slower stage,
  // with 2 and 4 only 300 / 4.
  auto engines = aggregates({1, 2, 3}, 100, {4, 5, 6}, 300);
  reassign(engines);
  EXPECT_THAT(engines[0].plan.engines, ElementsAre(1, 2));
  EXPECT_THAT(engines[1].plan.engines, ElementsAre(3, 4, 5, 6));
  const auto plans = ir::aggregatesOf(*module);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].name, "front");
  EXPECT_THAT(plans[0].engines, ElementsAre(1, 2));
  EXPECT_EQ(plans[1].name, "back");
  EXPECT_THAT(plans[1].engines, ElementsAre(3, 4, 5, 6));
}

TEST_F(CodeRates, EnginesStayWhereNoOtherSharesAreFaster) {
  auto engines = aggregates({4, 5, 6}, 200, {1, 2, 3}, 200);
  reassign(engines);
  EXPECT_THAT(engines[0].plan.engines, ElementsAre(4, 5, 6));
  EXPECT_THAT(engines[1].plan.engines, ElementsAre(1, 2, 3));
  EXPECT_TRUE(ir::aggregatesOf(*module).empty());
}

TEST_F(CodeRates, MessagesCountWhereEnginesAreSharedOut) {
  // A tenth of the packets goes to the back: 500 cycles a packet, and 150.
  read(twoAggregates, Profile{100, 10});
  auto engines = aggregates({1, 2, 3}, 500, {4, 5, 6}, 1500);
  reassign(engines);
  EXPECT_EQ(engines[0].plan.engines.size(), 4u);
  EXPECT_EQ(engines[1].plan.engines.size(), 2u);
}

TEST_F(CodeRates, AnAggregateWithALocalLockKeepsItsOneEngine) {
  read(twoAggregates, std::nullopt, "local");
  auto engines = aggregates({1, 2}, 300, {3}, 300);
  reassign(engines);
  EXPECT_EQ(engines[0].plan.engines.size(), 2u);
  EXPECT_EQ(engines[1].plan.engines.size(), 1u);
  // A lock that all engines share does not matter.
  read(twoAggregates, std::nullopt, "scratch");
  auto others = aggregates({1, 2}, 100, {3}, 300);
  reassign(others);
  EXPECT_EQ(others[0].plan.engines.size(), 1u);
  EXPECT_EQ(others[1].plan.engines.size(), 2u);
  // It is slow, yet gets no engine.
  read(twoAggregates, std::nullopt, "local");
  auto slow = aggregates({1, 2}, 100, {3}, 300);
  reassign(slow);
  EXPECT_EQ(slow[0].plan.engines.size(), 2u);
  EXPECT_EQ(slow[1].plan.engines.size(), 1u);
}

} // namespace
