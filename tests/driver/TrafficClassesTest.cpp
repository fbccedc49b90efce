// Classes of traffic: which events occur together, and which paths are priced.

#include "tests/driver/CodeRates.h"

#include "driver/report/PathEvents.h"

using namespace karakal;
using namespace karakal::driver;
using ::testing::HasSubstr;

namespace {

/// One aggregate: @f sends a packet to @g, to the core, drops it for @old, or
/// copies it. @g sends it or drops it for @bad.
const char *const oneAggregate = R"(
module {
  baker.drop_reason @old
  baker.drop_reason @bad
  baker.channel @rx : "p" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 1 : i32}
  baker.channel @m.f.g_cc : "p" from "m.f" to @g {baker.via = #baker.via<call>, baker.id = 2 : i32}
  baker.channel @m.f.arp_cc : "p" from "m.f" to @core {baker.via = #baker.via<ring>, baker.ring = 2 : i32, baker.id = 3 : i32, baker.punt = #baker.punt<number = 0, waiting = 64, per_window = 87>}
  baker.channel @m.f.out_cc : "p" from "m.f" to @tx {baker.via = #baker.via<ring>, baker.ring = 1 : i32, baker.id = 4 : i32}
  baker.channel @m.g.out_cc : "p" from "m.g" to @tx {baker.via = #baker.via<ring>, baker.ring = 1 : i32, baker.id = 5 : i32}
  baker.channel @m.core.back_cc : "p" from "m.core" to @g {baker.via = #baker.via<ring>, baker.ring = 3 : i32, baker.id = 6 : i32}
  func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
    %n = baker.random
    cf.switch %n : i32, [default: ^old, 1: ^next, 2: ^arp, 3: ^out]
  ^old:
    baker.packet_drop %ph reason @old : !baker.packet<"p">
    return
  ^next:
    FIRST
    baker.channel_put @m.f.g_cc, %ph : !baker.packet<"p">
    return
  ^arp:
    baker.channel_put @m.f.arp_cc, %ph : !baker.packet<"p">
    return
  ^out:
    baker.channel_put @m.f.out_cc, %ph : !baker.packet<"p">
    return
  }
  func.func @g(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "main"} {
    %n = baker.random
    %is = arith.trunci %n : i32 to i1
    cf.cond_br %is, ^bad, ^out
  ^bad:
    baker.packet_drop %ph reason @bad : !baker.packet<"p">
    return
  ^out:
    baker.channel_put @m.g.out_cc, %ph : !baker.packet<"p">
    return
  }
  func.func @core(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<xscale>} {
    baker.channel_put @m.core.back_cc, %ph : !baker.packet<"p">
    return
  }
})";

constexpr target::PathMark channelMark(uint32_t id) {
  return {target::PathMark::Kind::Channel, id};
}
/// "unspecified", "truncated" and "no port" have the numbers before those of a
/// program.
constexpr target::PathMark dropMark(uint32_t number) {
  return {target::PathMark::Kind::Drop, number + 3};
}

class TrafficClasses : public CodeRates {
protected:
  /// One path for each mark, of so many cycles; each ends the iteration.
  static AggregateCode
  codeWith(const std::vector<std::pair<target::PathMark, unsigned>> &paths) {
    std::string body;
    std::vector<uint32_t> begins;
    uint32_t at = 2; // the poll
    for (const auto &[mark, count] : paths) {
      std::string label = "next" + std::to_string(at) + "#";
      body += "    beq[" + label + "]\n" + cycles(count) + "    br[turn#]\n" +
              label + ":\n";
      begins.push_back(at + 1);
      at += count + 2;
    }
    AggregateCode engine;
    engine.plan = {"main", {1}};
    engine.code = codeOf(body);
    for (size_t i = 0; i < paths.size(); ++i)
      for (unsigned n = 0; n < paths[i].second; ++n)
        engine.code.marks[paths[i].first].insert(begins[i] + n);
    return engine;
  }

  static const ClassRate *find(const MinimumRate &rate, TrafficKind kind,
                               const std::string &name) {
    for (const ClassRate &found : rate.classes)
      if (found.traffic.kind == kind && found.traffic.name == name)
        return &found;
    return nullptr;
  }

  static double issueOf(const MinimumRate &rate, TrafficKind kind,
                        const std::string &name) {
    const ClassRate *found = find(rate, kind, name);
    return found ? found->worst.front()->cost.issue : 0;
  }
};

TEST_F(TrafficClasses, AreRoutesReasonsAndChannelsOfTheCore) {
  read(replaced(oneAggregate, "FIRST", ""));
  const std::vector<AggregateCode> engines = {
      codeWith({{channelMark(5), 100},
                {channelMark(4), 200},
                {dropMark(0), 300},
                {dropMark(1), 400},
                {channelMark(3), 500}})};
  const MinimumRate rate = minimum(engines);
  // Path n passes n - 1 taken branches of 1 + 3 cycles, and one more word.
  auto issue = [](unsigned n, double cycles) {
    return 2 + double(chip.meSwapSlots) + 4 * (n - 1) + 1 + cycles + 3;
  };
  constexpr TrafficKind Forward = TrafficKind::Forward,
                        Drop = TrafficKind::Drop, Punt = TrafficKind::Punt,
                        Return = TrafficKind::Return;
  EXPECT_EQ(issueOf(rate, Forward, "f.g_cc > g.out_cc"), issue(1, 100));
  EXPECT_EQ(issueOf(rate, Forward, "f.out_cc"), issue(2, 200));
  EXPECT_EQ(issueOf(rate, Drop, "old"), issue(3, 300));
  EXPECT_EQ(issueOf(rate, Drop, "bad"), issue(4, 400));
  EXPECT_EQ(issueOf(rate, Punt, "f.arp_cc"), issue(5, 500));
  ASSERT_TRUE(find(rate, Return, "core.back_cc"));
  EXPECT_EQ(rate.classes.size(), 6u);
  // The slower route is promised.
  EXPECT_EQ(promised(rate).traffic.name, "f.out_cc");
  EXPECT_NEAR(rate.puntsPerSecond, 87 * 600e6 / (16 << 15), 1);
  const double puntTime =
      1 / find(rate, Punt, "f.arp_cc")->packetsPerSecond +
      1 / find(rate, Return, "core.back_cc")->packetsPerSecond;
  EXPECT_DOUBLE_EQ(rate.gbps(), promised(rate).gbps());
  EXPECT_DOUBLE_EQ(rate.gbpsBesidePunts(),
                   promised(rate).gbps() *
                       (1 - rate.puntsPerSecond * puntTime));
  const std::string text = printMinimumRate(rate, engines);
  EXPECT_THAT(text, HasSubstr("forward  f.g_cc > g.out_cc: "));
  EXPECT_THAT(text, HasSubstr("drop     old: "));
  EXPECT_THAT(text, HasSubstr("punt     f.arp_cc: "));
  EXPECT_THAT(text, HasSubstr("beside 99564 punts a second, "));
}

TEST_F(TrafficClasses, AReasonThatOccursWithAChannelIsOnItsRoute) {
  // A copy of the packet is dropped before the packet is sent.
  read(replaced(oneAggregate, "FIRST",
                "baker.packet_drop %ph reason @old : !baker.packet<\"p\">"));
  const MinimumRate rate = minimum(
      {codeWith({{channelMark(5), 10}, {dropMark(0), 300}, {dropMark(1), 9}})});
  EXPECT_GT(issueOf(rate, TrafficKind::Forward, "f.g_cc > g.out_cc"), 300);
  // What @g drops may follow it.
  EXPECT_GT(issueOf(rate, TrafficKind::Drop, "bad"), 300);
}

TEST_F(TrafficClasses, CopiesTakeTheRoutesOfAllTheirChannels) {
  const char *const copy = "baker.channel_put @m.f.out_cc, %ph : "
                           "!baker.packet<\"p\">";
  read(replaced(oneAggregate, "FIRST", copy));
  const MinimumRate rate =
      minimum({codeWith({{channelMark(5), 10}, {channelMark(4), 30}})});
  EXPECT_GT(issueOf(rate, TrafficKind::Copies, "f.g_cc + f.out_cc"), 30);
  // Without copies each has its own route.
  EXPECT_GT(issueOf(rate, TrafficKind::Forward, "f.out_cc"), 30);
  ASSERT_TRUE(find(rate, TrafficKind::Forward, "f.g_cc > g.out_cc"));
  EXPECT_LT(issueOf(rate, TrafficKind::Forward, "f.g_cc > g.out_cc"),
            issueOf(rate, TrafficKind::Forward, "f.out_cc"));
}

TEST_F(TrafficClasses, CopiesArePricedAndNotPromised) {
  // Two packets on one channel, and a route beside it.
  read(replaced(oneAggregate, "FIRST",
                "baker.channel_put @m.f.g_cc, %ph : !baker.packet<\"p\">"));
  const MinimumRate rate =
      minimum({codeWith({{channelMark(5), 900}, {channelMark(4), 30}})});
  EXPECT_GT(issueOf(rate, TrafficKind::Copies, "f.g_cc"), 900);
  EXPECT_EQ(promised(rate).traffic.name, "f.out_cc");
}

TEST_F(TrafficClasses, ACopyForTheCoreIsPricedWithWhatFollows) {
  read(replaced(oneAggregate, "FIRST",
                "baker.channel_put @m.f.arp_cc, %ph : !baker.packet<\"p\">"));
  const MinimumRate rate = minimum({codeWith(
      {{channelMark(5), 300}, {channelMark(3), 10}, {dropMark(0), 400}})});
  EXPECT_GT(issueOf(rate, TrafficKind::Punt, "f.arp_cc"), 300);
  EXPECT_LT(issueOf(rate, TrafficKind::Punt, "f.arp_cc"), 400);
}

TEST_F(TrafficClasses, EventsAreCompanionsBehindOrBesideEachOther) {
  read(replaced(oneAggregate, "FIRST",
                "baker.channel_put @m.f.arp_cc, %ph : !baker.packet<\"p\">"));
  PathEvents events(*module);
  const target::PathMark rx = channelMark(1), next = channelMark(2),
                         arp = channelMark(3), out = channelMark(4),
                         sent = channelMark(5), back = channelMark(6),
                         old = dropMark(0), bad = dropMark(1);
  EXPECT_EQ(events.with(rx), (PathMarks{rx, next, arp, out, sent, old, bad}));
  EXPECT_EQ(events.with(arp), (PathMarks{rx, next, arp, sent, bad}));
  EXPECT_EQ(events.with(sent), (PathMarks{rx, next, arp, sent, back}));
  EXPECT_EQ(events.with(bad), (PathMarks{rx, next, arp, back, bad}));
  EXPECT_EQ(events.with(old), (PathMarks{rx, old}));
  EXPECT_EQ(events.with(out), (PathMarks{rx, out}));
  // The core takes packets from @arp_cc and puts others on @back_cc.
  EXPECT_EQ(events.with(back), (PathMarks{sent, back, bad}));
}

TEST_F(TrafficClasses, PacketsOnACycleArePricedAndNotPromised) {
  read(replaced(replaced(oneAggregate, "FIRST", ""),
                "@m.g.out_cc : \"p\" from \"m.g\" to @tx {baker.via = "
                "#baker.via<ring>, baker.ring = 1 : i32",
                "@m.g.out_cc : \"p\" from \"m.g\" to @f {baker.via = "
                "#baker.via<ring>, baker.ring = 4 : i32"));
  const MinimumRate rate = minimum({codeWith({{channelMark(5), 10}})});
  ASSERT_TRUE(find(rate, TrafficKind::Cycle, "f.g_cc > g.out_cc > f.out_cc"));
  EXPECT_EQ(promised(rate).traffic.kind, TrafficKind::Forward);
  EXPECT_EQ(promised(rate).traffic.name, "f.out_cc");
}

} // namespace
