// The minimum rate of code: the longest paths, and what is demanded.

#include "tests/driver/CodeRates.h"

using namespace karakal;
using namespace karakal::driver;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

Status check(const MinimumRate &rate, const std::vector<AggregateCode> &engines,
             double gbps, const std::string &traffic = "") {
  return checkMinimumRate(rate, engines, {traffic + std::to_string(gbps)});
}

TEST_F(CodeRates, MinimumIsInFrameBitsOf64Bytes) {
  MinimumRate rate;
  rate.classes.resize(1);
  rate.classes[0].packetsPerSecond = 1e6;
  EXPECT_DOUBLE_EQ(rate.gbps(), 0.512);
  // A quarter of the time is the punts'.
  rate.puntShare = 0.25;
  EXPECT_DOUBLE_EQ(rate.gbps(), 0.512);
  EXPECT_DOUBLE_EQ(rate.gbpsBesidePunts(), 0.384);
}

TEST_F(CodeRates, MinimumIsThatOfTheLongestPath) {
  // Mostly the branch is taken, so the average is far below the worst case.
  auto engines = aggregates({1}, 100, {2}, 0);
  engines[1].code = codeOf("    alu[--, a, -, b]\n    beq[short#]\n" +
                           cycles(1000) + "short#:\n");
  for (size_t i = 4; i < 1004; ++i)
    engines[1].code.frequencies[i] = 0.001f;
  const MinimumRate rate = minimum(engines);
  ASSERT_EQ(rate.issueMax.size(), 2u);
  EXPECT_EQ(rate.issueMax[0], 100 + emptyIssue());
  EXPECT_EQ(rate.issueMax[1], 1002 + emptyIssue());
  EXPECT_EQ(promised(rate).stages[1].cost.issue, 1002 + emptyIssue());
  EXPECT_EQ(rate.bottleneck(), "engines of back");
  // 15 % less than predicted, as the model may be wrong.
  EXPECT_NEAR(rate.packetsPerSecond() / (0.85 * 600e6 / rate.issueMax[1]), 1,
              0.02);
}

TEST_F(CodeRates, MinimumTakesEveryPacketThroughEachStage) {
  read(twoAggregates, Profile{100, 10});
  const MinimumRate rate = minimum(aggregates({1}, 1, {2}, 1));
  EXPECT_EQ(promised(rate).stages[1].messages, 1);
}

TEST_F(CodeRates, MinimumDividesWorstCommandsAsTheAverageDoes) {
  // On average a command on channel 0 and three on channel 1, of equal length;
  // a path to the fifth is seldom taken. Words do not tell the channel.
  const std::string read = "    sram[read, $r0, b, 0, 1], ctx_swap[s]\n";
  auto engines = aggregates({1}, 0, {2}, 0);
  engines[0].code = codeOf("    immed[b, 0x1000]\n" + read +
                           "    immed[b, 0x4000, <<16]\n" + read + read + read);
  const MinimumRate rate = minimum(engines);
  const target::MessageCost &worst = rate.worst[0].cost;
  const target::MessageCost &cost = promised(rate).stages[0].cost;
  const double four = 4 * double(chip.sramOpCycles);
  const auto unit = [](target::SharedUnit of) { return size_t(of); };
  EXPECT_EQ(worst.busy[unit(target::SharedUnit::Sram0)], four);
  EXPECT_DOUBLE_EQ(cost.busy[unit(target::SharedUnit::Sram0)], four / 4);
  EXPECT_DOUBLE_EQ(cost.busy[unit(target::SharedUnit::Sram1)], four * 3 / 4);
  EXPECT_DOUBLE_EQ(cost.commands[unit(target::SharedUnit::Sram0)], 1);
  EXPECT_DOUBLE_EQ(cost.commands[unit(target::SharedUnit::Sram1)], 3);
  EXPECT_DOUBLE_EQ(cost.squares[unit(target::SharedUnit::Sram1)],
                   3 * double(chip.sramOpCycles * chip.sramOpCycles));
  EXPECT_EQ(cost.busy[unit(target::SharedUnit::Sram2)], 0);
}

TEST_F(CodeRates, MinimumCountsTheVariantThatTakesLongest) {
  auto engines = aggregates({1}, 10, {2}, 10);
  engines[0].variants.push_back({false, true, codeOf(cycles(30))});
  engines[0].variants.push_back({true, true, codeOf(cycles(20))});
  EXPECT_EQ(minimum(engines).issueMax[0], 30 + emptyIssue());
  EXPECT_EQ(minimum(engines).issueMax[1], 10 + emptyIssue());
}

TEST_F(CodeRates, MinimumIsThatOfTheLoadedVariants) {
  // Both ends of the link exist, so it is a next-neighbour ring.
  auto engines = aggregates({1}, 10, {2}, 10);
  engines[0].variants.push_back({false, true, codeOf(cycles(30))});
  engines[1].variants.push_back({true, false, codeOf(cycles(5))});
  const MinimumRate rate = minimum(engines);
  EXPECT_EQ(promised(rate).stages[0].cost.issue, 30 + emptyIssue());
  EXPECT_EQ(promised(rate).stages[1].cost.issue, 5 + emptyIssue());
  // Whichever is picked: at most this.
  EXPECT_EQ(rate.issueMax[0], 30 + emptyIssue());
  EXPECT_EQ(rate.issueMax[1], 10 + emptyIssue());
  // With two engines there is no neighbour.
  engines[0].plan.engines = {1, 3};
  const MinimumRate apart = minimum(engines);
  EXPECT_EQ(promised(apart).stages[0].cost.issue, 10 + emptyIssue());
}

TEST_F(CodeRates, ALoopWithoutABoundHasNoMinimum) {
  auto engines = aggregates({1}, 10, {2}, 10);
  target::Microcode loop =
      codeOf("round#:\n    alu[b, b, -, 1]\n    bne[round#]\n");
  loop.loops.push_back({2, 2, 0});
  engines[1].code = loop;
  auto rate = computeMinimumRate(*module, engines);
  ASSERT_FALSE(bool(rate));
  EXPECT_EQ(rate.error().id, "E-target-ixp-147");
  // Nor has it in a variant that is not loaded.
  engines[1].code = codeOf(cycles(1));
  engines[1].variants.push_back({true, true, loop});
  EXPECT_FALSE(bool(computeMinimumRate(*module, engines)));
}

TEST_F(CodeRates, MinimumIsPrintedWithTheLinesOfThePaths) {
  const auto engines = aggregates({1, 2}, 2, {3}, 1);
  const MinimumRate rate = minimum(engines);
  const std::string text = printMinimumRate(rate, engines);
  // Instructions begin in line 6.
  EXPECT_THAT(text, HasSubstr(": test.uc:6, 7, 8, 9, 10\n"));
  EXPECT_THAT(text, HasSubstr(": test.uc:6, 7, 8, 9\n"));
  EXPECT_THAT(text, HasSubstr("Gbit/s"));
  EXPECT_THAT(text, HasSubstr("; limit: " + rate.bottleneck()));
}

TEST_F(CodeRates, TheMinimumIsCheckedAgainstARate) {
  const auto engines = aggregates({1}, 10, {2}, 1000);
  const MinimumRate rate = minimum(engines);
  EXPECT_TRUE(bool(check(rate, engines, rate.gbps() * 0.99)));
  Status missed = check(rate, engines, rate.gbps() * 1.01);
  ASSERT_FALSE(bool(missed));
  EXPECT_EQ(missed.error().id, "E-driver-040");
  EXPECT_THAT(missed.error().message, HasSubstr("aggregate 'back', on 1 "));
  EXPECT_THAT(missed.error().message, HasSubstr("engines of back"));
  EXPECT_THAT(missed.error().message, HasSubstr("class is 'forward c > out'"));
  // The first twelve lines of the path, then no more.
  EXPECT_THAT(missed.error().message,
              HasSubstr("test.uc:6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
                        "…"));
  EXPECT_THAT(missed.error().message, Not(HasSubstr("18")));
}

TEST_F(CodeRates, TheSlowestAggregateIsNamedByItsEnginesAndMessages) {
  // 1000 cycles on three engines are faster than 500 on one.
  const auto engines = aggregates({1, 2, 3}, 1000, {4}, 500);
  Status missed = checkMinimumRate(minimum(engines), engines, {"100"});
  ASSERT_FALSE(bool(missed));
  EXPECT_THAT(missed.error().message, HasSubstr("aggregate 'back'"));
}

TEST(RateDemands, AreARateOrAClassAndARate) {
  const auto rate = parseRateDemand("2.5");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->traffic, "");
  EXPECT_EQ(rate->gbps, 2.5);
  const auto drop = parseRateDemand("drop a=b=0.25");
  ASSERT_TRUE(drop);
  EXPECT_EQ(drop->traffic, "drop a=b");
  EXPECT_EQ(drop->gbps, 0.25);
  for (const char *wrong :
       {"", "x", "drop=", "=1", "drop", "drop=0", "-1", "nan", "inf", "1 2"})
    EXPECT_FALSE(parseRateDemand(wrong)) << wrong;
}

TEST_F(CodeRates, AClassIsCalledByItsKindItsNameOrAChannel) {
  MinimumRate rate;
  auto add = [&](TrafficKind kind, const std::string &name, double gbps) {
    ClassRate made;
    made.traffic.kind = kind;
    made.traffic.name = name;
    made.packetsPerSecond = gbps * 1e9 / (predictedFrameBytes * 8);
    made.bottleneck = "sram";
    made.stages.resize(1);
    made.worst.resize(1);
    made.worst[0].emplace();
    rate.classes.push_back(made);
  };
  add(TrafficKind::Forward, "f.g_cc > g.out_cc", 3);
  add(TrafficKind::Forward, "f.out_cc", 2);
  add(TrafficKind::Drop, "old", 1);
  add(TrafficKind::Punt, "f.arp_cc", 0.5);
  rate.slowest = 1;
  const auto engines = aggregates({1}, 1, {2}, 1);
  auto reaches = [&](double gbps, const std::string &name) {
    return bool(check(rate, engines, gbps, name + "="));
  };
  for (const auto &[name, gbps] : std::vector<std::pair<const char *, double>>{
           {"forward", 2},
           {"f.g_cc > g.out_cc", 3},
           {"forward f.g_cc > g.out_cc", 3},
           {"g_cc", 3},
           {"f.g_cc", 3},
           {"g.out_cc", 3},
           {"out_cc", 2},
           {"f.out_cc", 2},
           {"drop", 1},
           {"old", 1},
           {"drop old", 1},
           {"punt", 0.5},
           {"arp_cc", 0.5}}) {
    EXPECT_TRUE(reaches(gbps * 0.99, name)) << name;
    EXPECT_FALSE(reaches(gbps * 1.01, name)) << name;
  }
  EXPECT_TRUE(bool(check(rate, engines, 1.99)));
  EXPECT_FALSE(bool(check(rate, engines, 2.01)));
  for (const char *name : {"cc", "ld", "f", "copies", ">", "drop arp_cc"}) {
    const Status unknown = check(rate, engines, 0.1, std::string(name) + "=");
    ASSERT_FALSE(bool(unknown)) << name;
    EXPECT_EQ(unknown.error().id, "E-driver-045");
    EXPECT_THAT(unknown.error().message,
                HasSubstr("'" + std::string(name) +
                          "'; there are:\n  forward f.g_cc > g.out_cc\n  "
                          "forward f.out_cc\n  drop old\n  punt f.arp_cc"));
  }
}

} // namespace
