// When timers are due.

#include "traces/Timers.h"

#include "gtest/gtest.h"

using namespace karakal::traces;

namespace {

using Taken = std::vector<std::pair<size_t, uint64_t>>;

Taken takeAll(Timers &timers, uint64_t nowNs) {
  Taken taken;
  while (auto due = timers.take(nowNs))
    taken.push_back({due->function, due->atNs});
  return taken;
}

} // namespace

TEST(TimersTest, TimersAreDueInTheOrderOfTimeAndOfTheProgram) {
  Timers timers({{1, "m.a", 3}, {2, "m.b", 2}});
  EXPECT_EQ(timers.nextNs(), 2000u);
  EXPECT_EQ(takeAll(timers, 1999), Taken{});
  EXPECT_EQ(takeAll(timers, 6000),
            (Taken{{2, 2000}, {1, 3000}, {2, 4000}, {1, 6000}, {2, 6000}}));
  EXPECT_EQ(takeAll(timers, 6000), Taken{});
  EXPECT_EQ(timers.nextNs(), 8000u);
  ASSERT_EQ(timers.counts().size(), 2u);
  EXPECT_EQ(timers.counts()[1].name, "m.b");
  EXPECT_EQ(timers.counts()[1].calls, 3u);
}

TEST(TimersTest, APauseOfTheClockLosesTimesButNoCount) {
  Timers timers({{0, "m.a", 1}}, /*callsMax=*/2);
  EXPECT_EQ(takeAll(timers, 10500), (Taken{{0, 9000}, {0, 10000}}));
  EXPECT_EQ(timers.counts()[0].calls, 2u);
  EXPECT_EQ(timers.counts()[0].missed, 8u);
  EXPECT_EQ(timers.nextNs(), 11000u);
}

TEST(TimersTest, WithoutTimersNothingIsEverDue) {
  Timers timers({});
  EXPECT_TRUE(timers.empty());
  EXPECT_FALSE(timers.take(~uint64_t{0}).has_value());
}
