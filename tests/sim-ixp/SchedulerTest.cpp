// The event queue.

#include "sim-ixp/bus/Scheduler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace karakal::sim;

namespace {

struct Log : EventTarget {
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override {
    seen.push_back({cycle, argument});
    if (code != 0)
      scheduler->schedule(cycle + code, this, 0, argument + 1000);
  }
  Scheduler *scheduler = nullptr;
  std::vector<std::pair<uint64_t, uint64_t>> seen;
};

} // namespace

TEST(SchedulerTest, RunsEventsByCycleAndThenInOrderOfScheduling) {
  Scheduler scheduler;
  Log log;
  scheduler.schedule(7, &log, 0, 1);
  scheduler.schedule(5, &log, 0, 2);
  scheduler.schedule(7, &log, 0, 3);
  EXPECT_EQ(scheduler.nextCycle(), 5u);
  while (scheduler.pendingCount())
    scheduler.runNext();
  std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {5, 2}, {7, 1}, {7, 3}};
  EXPECT_EQ(log.seen, expected);
  EXPECT_EQ(scheduler.nextCycle(), Scheduler::never);
}

TEST(SchedulerTest, KeepsOrderOverAnyDistance) {
  // Compared with a stable sort: distances around and far beyond the wheel's
  // size.
  std::mt19937 random(1);
  Scheduler scheduler;
  Log log;
  std::vector<std::pair<uint64_t, uint64_t>> expected;
  for (uint64_t i = 0; i < 5000; ++i) {
    uint64_t cycle = random() % (i % 3 == 0 ? 1000000 : 9000);
    expected.emplace_back(cycle, i);
    scheduler.schedule(cycle, &log, 0, i);
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](auto &x, auto &y) { return x.first < y.first; });
  while (scheduler.pendingCount())
    scheduler.runNext();
  EXPECT_EQ(log.seen, expected);
}

TEST(SchedulerTest, KeepsOrderWhileTimeMoves) {
  // Later events join earlier ones of the same cycle, which was beyond the
  // wheel when the earlier ones were scheduled.
  std::mt19937 random(2);
  Scheduler scheduler;
  Log log;
  std::vector<std::pair<uint64_t, uint64_t>> expected;
  for (uint64_t i = 0; i < 20000; ++i) {
    uint64_t ahead = std::vector<uint64_t>{30, 300, 3000, 200000}[random() % 4];
    uint64_t cycle = scheduler.now() + random() % ahead;
    expected.emplace_back(cycle, i);
    scheduler.schedule(cycle, &log, 0, i);
    for (uint64_t n = random() % 3; n > 0 && scheduler.pendingCount() > 0; --n)
      scheduler.runNext();
  }
  while (scheduler.pendingCount())
    scheduler.runNext();
  EXPECT_EQ(scheduler.nextCycle(), Scheduler::never);
  std::stable_sort(expected.begin(), expected.end(),
                   [](auto &x, auto &y) { return x.first < y.first; });
  EXPECT_EQ(log.seen, expected);
}

TEST(SchedulerTest, EventsMayScheduleEvents) {
  Scheduler scheduler;
  Log log;
  log.scheduler = &scheduler;
  for (uint64_t i = 0; i < 100; ++i)
    scheduler.schedule(i * 700, &log, static_cast<uint32_t>(1 + i * 61), i);
  uint64_t last = 0;
  while (scheduler.pendingCount()) {
    scheduler.runNext();
    EXPECT_GE(log.seen.back().first, last);
    last = log.seen.back().first;
  }
  EXPECT_EQ(log.seen.size(), 200u);
}

TEST(SchedulerTest, TimeMayMoveWithoutEvents) {
  Scheduler scheduler;
  Log log;
  scheduler.advanceTo(1234567);
  scheduler.schedule(1234570, &log, 0, 1);
  scheduler.schedule(1234568, &log, 0, 2);
  scheduler.runNext();
  EXPECT_EQ(scheduler.now(), 1234568u);
  scheduler.runNext();
  EXPECT_EQ(log.seen.back().second, 1u);
}
