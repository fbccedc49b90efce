// Aggregates of chains, forks, cycles and large PPFs, formed as in Figure 7.

#include "Chains.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal::agg;
using namespace karakal::tests;
using testing::ElementsAre;
using StepKind = karakal::ir::FormationStepKind;

namespace {

bool hasStep(const Formation &formed, StepKind kind, const std::string &part) {
  for (const FormationStep &step : formed.steps)
    if (step.kind == kind && step.reason.find(part) != std::string::npos)
      return true;
  return false;
}

/// Expects that no aggregate reaches itself through another.
void expectForwardOnly(const FormationInput &input, const Formation &formed) {
  size_t count = formed.aggregates.size();
  std::vector<size_t> owner(input.ppfs.size());
  for (size_t i = 0; i < count; ++i)
    for (size_t ppf : formed.aggregates[i].ppfs)
      owner[ppf] = i;
  std::vector<std::vector<bool>> reach(count, std::vector<bool>(count));
  for (const FormationChannel &channel : input.channels)
    if (owner[channel.from] != owner[channel.to])
      reach[owner[channel.from]][owner[channel.to]] = true;
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (reach[i][k] && reach[k][j])
          reach[i][j] = true;
  for (size_t i = 0; i < count; ++i)
    EXPECT_FALSE(reach[i][i]) << "aggregate " << i;
}

} // namespace

TEST(FormationTest, AChainOfTinyPpfsBecomesOneAggregateOnAllEngines) {
  Formation formed = formAggregates(makeChain(12, 20, 50));
  EXPECT_EQ(formed.failure, "");
  ASSERT_EQ(formed.aggregates.size(), 1u);
  EXPECT_EQ(formed.aggregates[0].ppfs.size(), 12u);
  EXPECT_EQ(formed.aggregates[0].engines, 6u);
  EXPECT_TRUE(hasStep(formed, StepKind::Merge, "1.000 packets per packet"));
  EXPECT_GT(formed.prediction.packetsPerSecond, 0);
}

TEST(FormationTest, PpfsThatDoNotFitOneEngineBecomeAPipeline) {
  FormationInput input = makeChain(4, 200, 1500);
  Formation formed = formAggregates(input);
  EXPECT_EQ(formed.failure, "");
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_THAT(formed.aggregates[0].ppfs, ElementsAre(0, 1));
  EXPECT_THAT(formed.aggregates[1].ppfs, ElementsAre(2, 3));
  EXPECT_EQ(formed.aggregates[0].engines, 3u);
  EXPECT_EQ(formed.aggregates[1].engines, 3u);
  EXPECT_TRUE(hasStep(formed, StepKind::Refuse, "words do not fit 4096"));
}

TEST(FormationTest, TheSlowStageGetsMoreEngines) {
  FormationInput input = makeChain(2, 100, 3000);
  input.ppfs[1].cost = cycles(900);
  Formation formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_EQ(formed.aggregates[0].engines, 1u);
  EXPECT_EQ(formed.aggregates[1].engines, 5u);
  EXPECT_TRUE(hasStep(formed, StepKind::Duplicate, "cycles per packet"));
}

TEST(FormationTest, ACycleOfChannelsStaysInOneAggregate) {
  FormationInput input = makeChain(3, 100, 3000);
  input.channels.push_back({2, 1, 0.1});
  Formation formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_THAT(formed.aggregates[1].ppfs, ElementsAre(1, 2));
  expectForwardOnly(input, formed);
}

TEST(FormationTest, NoMergeMakesACycleOfAggregates) {
  // 0 sends to 2 directly and through 1; 0 and 2 fit together, 1 does not.
  FormationInput input = makeChain(3, 100, 1000);
  input.ppfs[1].words = 3500;
  input.channels.push_back({0, 2, 5});
  Formation formed = formAggregates(input);
  EXPECT_EQ(formed.aggregates.size(), 3u);
  expectForwardOnly(input, formed);
  EXPECT_TRUE(
      hasStep(formed, StepKind::Refuse, "leave the aggregate and come back"));
}

TEST(FormationTest, PinnedAggregatesStayApart) {
  FormationInput input = makeChain(3, 20, 50);
  input.pins = {{"front", 2}, {"back", 0}};
  input.ppfs[0].pin = 0;
  input.ppfs[2].pin = 1;
  Formation formed = formAggregates(input);
  EXPECT_EQ(formed.failure, "");
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_EQ(formed.aggregates[0].engines, 2u);
  EXPECT_EQ(formed.aggregates[1].engines, 4u);
}

TEST(FormationTest, PinnedAggregatesThatSendToEachOtherAreRefused) {
  FormationInput input = makeChain(3, 20, 50);
  input.pins = {{"a", 0}, {"b", 0}};
  input.ppfs[0].pin = input.ppfs[2].pin = 0;
  input.ppfs[1].pin = 1;
  EXPECT_THAT(formAggregates(input).failure,
              testing::HasSubstr("wait for each other"));
}

TEST(FormationTest, MoreStagesThanEnginesIsAFailureWithNumbers) {
  FormationInput input = makeChain(4, 100, 3000);
  input.engines = 2;
  EXPECT_EQ(formAggregates(input).failure,
            "4 aggregates need as many engines, there are 2");
}

TEST(FormationTest, TwoHundredPpfsBecomeAtMostOneAggregatePerEngine) {
  FormationInput input = makeLadder(200);
  Formation formed = formAggregates(input);
  EXPECT_EQ(formed.failure, "");
  EXPECT_LE(formed.aggregates.size(), 6u);
  expectForwardOnly(input, formed);
}

TEST(FormationTest, AHotLockLimitsTheNumberOfEngines) {
  FormationInput input = makeChain(1, 300, 100);
  input.ppfs[0].cost.latency = 800;
  input.ppfs[0].cost.locked = 150; // a third of what six engines would do
  Formation formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 1u);
  EXPECT_LE(formed.aggregates[0].engines, 3u);
  EXPECT_GE(formed.aggregates[0].engines, 2u);
  EXPECT_EQ(formed.prediction.bottleneck, "locks");
  EXPECT_TRUE(
      hasStep(formed, StepKind::Refuse, "its locks limit it to 4.000 million"));
}

TEST(FormationTest, APpfWithAHotLockIsNotMergedWithALongOne) {
  FormationInput input = makeChain(2, 1000, 100);
  input.ppfs[1].cost.issue = 100;
  input.ppfs[1].cost.locked = 500;
  input.ppfs[1].cost.lockedSwaps = 8;
  Formation formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_TRUE(hasStep(formed, StepKind::Refuse, "throughput would fall"));
  input.ppfs[1].cost.locked = input.ppfs[1].cost.lockedSwaps = 0;
  EXPECT_EQ(formAggregates(input).aggregates.size(), 1u);
}

TEST(FormationTest, ALockThatIsMostlyFreeDoesNotLimitTheEngines) {
  FormationInput input = makeChain(1, 300, 100);
  input.ppfs[0].cost.locked = 20;
  EXPECT_EQ(formAggregates(input).aggregates[0].engines, 6u);
}

TEST(FormationTest, AnAggregateTwiceAsSlowAsTheNextIsDuplicatedFirst) {
  // Half of the ring between them adds 15 cycles to each: 115 and 230.
  FormationInput input = makeChain(2, 100, 3000);
  input.ppfs[1].cost = cycles(215);
  EXPECT_TRUE(hasStep(formAggregates(input), StepKind::Duplicate,
                      "takes 230 cycles per packet, the next 115; now on 2"));
  input.ppfs[1].cost = cycles(214);
  EXPECT_FALSE(hasStep(formAggregates(input), StepKind::Duplicate, ""));
}

TEST(FormationTest, EachEngineGoesToTheSlowestAggregate) {
  // With rings 100, 200 and 300 cycles per packet: 100 on each engine.
  FormationInput input = makeChain(3, 85, 3000);
  input.ppfs[1].cost = cycles(170);
  input.ppfs[2].cost = cycles(285);
  Formation formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 3u);
  EXPECT_EQ(formed.aggregates[0].engines, 1u);
  EXPECT_EQ(formed.aggregates[1].engines, 2u);
  EXPECT_EQ(formed.aggregates[2].engines, 3u);
  EXPECT_TRUE(
      hasStep(formed, StepKind::Map, "3 engines for 300 cycles per packet"));
}

TEST(FormationTest, AMergeMayFillTheControlStoreToItsLastWord) {
  // The fixed 100 words are needed once: 1998 + 1998 + 100.
  EXPECT_EQ(formAggregates(makeChain(2, 20, 1998)).aggregates.size(), 1u);
  Formation formed = formAggregates(makeChain(2, 20, 1998.5));
  EXPECT_EQ(formed.aggregates.size(), 2u);
  EXPECT_TRUE(hasStep(formed, StepKind::Refuse, "4097 words do not fit 4096"));
}

TEST(FormationTest, ThePairWithMostTrafficMergesFirst) {
  // 1 receives from 0 and sends more to 2; only one of the two merges fits.
  FormationInput input = makeChain(3, 20, 1500);
  input.channels[1].packets = 1.5;
  Formation formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_THAT(formed.aggregates[1].ppfs, ElementsAre(1, 2));
  input.channels[1].packets = 0.5;
  formed = formAggregates(input);
  ASSERT_EQ(formed.aggregates.size(), 2u);
  EXPECT_THAT(formed.aggregates[0].ppfs, ElementsAre(0, 1));
}

TEST(FormationTest, AStageCarriesHalfOfEachRingItTouches) {
  FormationInput input = makeChain(2, 100, 50);
  input.ppfs[1].packets = input.channels[0].packets = 0.25;
  std::vector<FormedAggregate> apart(2);
  apart[0].ppfs = {0};
  apart[1].ppfs = {1};
  std::vector<Stage> stages = stagesOf(input, apart);
  // Half of the ring from Rx, and half of a ring for a quarter of the packets.
  EXPECT_DOUBLE_EQ(stages[0].messages, 1);
  EXPECT_DOUBLE_EQ(stages[0].cost.issue, 100 + 15 + 0.25 * 15);
  EXPECT_DOUBLE_EQ(stages[0].cost.latency, 120 + 0.25 * 120);
  // Costs are per message. The stage receives a quarter of the packets.
  EXPECT_DOUBLE_EQ(stages[1].messages, 0.25);
  EXPECT_DOUBLE_EQ(stages[1].cost.issue, 100 + 15);
  EXPECT_DOUBLE_EQ(stages[1].cost.latency, 120);
}

TEST(FormationTest, AChannelInsideAnAggregateCostsNoRing) {
  FormationInput input = makeChain(2, 100, 50);
  std::vector<FormedAggregate> together(1);
  together[0].ppfs = {0, 1};
  std::vector<Stage> stages = stagesOf(input, together);
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_DOUBLE_EQ(stages[0].cost.issue, 200 + 15);
  EXPECT_DOUBLE_EQ(stages[0].cost.latency, 120);
}

TEST(FormationTest, MoreEnginesThanThereAreIsAFailureWithNumbers) {
  FormationInput input = makeChain(2, 20, 50);
  input.pins = {{"front", 4}, {"back", 3}};
  input.ppfs[0].pin = 0;
  input.ppfs[1].pin = 1;
  EXPECT_EQ(formAggregates(input).failure,
            "the mapping asks for 7 engines, there are 6");
  input.pins[1].engines = 2;
  EXPECT_EQ(formAggregates(input).failure, "");
}
