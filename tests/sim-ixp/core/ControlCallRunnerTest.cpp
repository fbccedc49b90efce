// When and in which order calls run.

#include "sim-ixp/core/ControlCallRunner.h"

#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint64_t clockHz = 10'000'000; // 10 cycles a microsecond

/// A core whose calls take 100 cycles and return the first argument.
class FakeCore : public ControlProcessor, public EventTarget {
public:
  explicit FakeCore(Scheduler &scheduler) : scheduler(scheduler) {}
  Result<uint32_t> call(uint32_t entry,
                        const std::vector<int64_t> &arguments) override {
    EXPECT_FALSE(isBusy()) << "a call while the core is busy";
    calls.push_back({entry, scheduler.now() + cyclesOfCalls});
    cyclesOfCalls += 100;
    return arguments.empty() ? 0 : static_cast<uint32_t>(arguments[0]);
  }
  uint64_t callCycles() const override { return cyclesOfCalls; }
  void start(uint32_t entry, const std::vector<int64_t> &arguments,
             std::function<void(const Result<uint32_t> &)> onReturn) override {
    EXPECT_FALSE(isBusy()) << "a call while the core is busy";
    calls.push_back({entry, scheduler.now()});
    waiting = std::move(onReturn);
    scheduler.schedule(scheduler.now() + 100, this, 0,
                       arguments.empty() ? 0
                                         : static_cast<uint64_t>(arguments[0]));
  }
  void onEvent(uint64_t, uint32_t, uint64_t result) override {
    auto returned = std::exchange(waiting, nullptr);
    returned(fault() ? Result<uint32_t>(*fault())
                     : Result<uint32_t>(static_cast<uint32_t>(result)));
  }
  void onRingNotEmpty(uint32_t) override {}
  bool isBusy() const override { return waiting != nullptr; }
  const Error *fault() const override {
    return faultOfCalls ? &*faultOfCalls : nullptr;
  }

  std::vector<std::pair<uint32_t, uint64_t>> calls; ///< entry, cycle
  std::optional<Error> faultOfCalls;

private:
  Scheduler &scheduler;
  uint64_t cyclesOfCalls = 0;
  std::function<void(const Result<uint32_t> &)> waiting;
};

/// A chip that packets leave at a cycle.
class FakeHold : public PacketHold {
public:
  explicit FakeHold(Scheduler &scheduler) : scheduler(scheduler) {}
  void setHeld(bool isHeld) override {
    EXPECT_NE(isHeld, held);
    held = isHeld;
  }
  bool isEmpty() const override { return scheduler.now() >= emptyAt; }
  bool isOver() const override { return scheduler.now() >= overAt; }

  uint64_t emptyAt = 0, overAt = 0;
  bool held = false;

private:
  Scheduler &scheduler;
};

/// With the functions of a table `m.t`.
target::Image imageWithTable() {
  target::Image image;
  nlohmann::json control = nlohmann::json::array();
  for (const char *name : {"add", "change", "remove", "clear", "count", "read",
                           "dump", "own.next_entry", "own.entry_word"})
    control.push_back({{"name", std::string("m.t.") + name},
                       {"entry", 10 + control.size()},
                       {"params", nlohmann::json::array()},
                       {"returns", "s32"},
                       {"table_limit", 5}});
  image.manifest["xscale"] = {{"handler", 0},
                              {"stack", 0},
                              {"arguments", 0},
                              {"init", nlohmann::json::array()},
                              {"control", control}};
  return image;
}

target::Image imageWithControl() {
  target::Image image;
  nlohmann::json parameter = {{{"name", "x"}, {"type", "u8"}}};
  image.manifest["xscale"] = {{"handler", 0},
                              {"stack", 0},
                              {"arguments", 0},
                              {"init", {{{"name", "m.setup"}, {"entry", 1}}}},
                              {"control",
                               {{{"name", "m.f"},
                                 {"entry", 2},
                                 {"params", parameter},
                                 {"returns", "s32"}},
                                {{"name", "m.g"},
                                 {"entry", 3},
                                 {"params", nlohmann::json::array()},
                                 {"returns", "s32"}}}}};
  return image;
}

/// The function `m.g` is a timer.
target::Image imageWithTimer(uint64_t intervalUs) {
  target::Image image = imageWithControl();
  image.manifest["xscale"]["control"][1]["interval_us"] = intervalUs;
  return image;
}

class ControlCallRunnerTest : public ::testing::Test {
protected:
  void read(const std::string &text,
            const target::Image &image = imageWithControl()) {
    auto calls = traces::parseControl(text, "test.control");
    ASSERT_TRUE(static_cast<bool>(calls));
    auto made = ControlCallRunner::create(image, *calls);
    ASSERT_TRUE(static_cast<bool>(made)) << made.error().str();
    runner = std::move(*made);
    runner.connect(&core, &scheduler, &hold, clockHz);
  }
  std::string createError(const std::string &text, const target::Image &image) {
    auto calls = traces::parseControl(text, "test.control");
    auto made = ControlCallRunner::create(image, *calls);
    return made ? "" : made.error().str();
  }
  /// Runs the calls; the last frame has come at `cycle`.
  void runUntil(uint64_t cycle) {
    ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
    hold.overAt = cycle;
    runner.start();
    drain();
  }

  void drain() {
    while (scheduler.pendingCount())
      scheduler.runNext();
  }

  Scheduler scheduler;
  FakeCore core{scheduler};
  FakeHold hold{scheduler};
  ControlCallRunner runner;
};

using Calls = std::vector<std::pair<uint32_t, uint64_t>>;

} // namespace

TEST_F(ControlCallRunnerTest, InitializationRunsBeforeTheControlFile) {
  read("g()\nf(0)\n");
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {3, 100}, {2, 200}}));
  EXPECT_EQ(scheduler.now(), 300u);
}

TEST_F(ControlCallRunnerTest, CycleCallsCountFromTheStart) {
  read("@cycle 500 g()\n");
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  runner.start();
  drain();
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {3, 600}}));
}

TEST_F(ControlCallRunnerTest, PacketCallsWaitForTheirPacketAndTheCore) {
  read("@packet 10 g()\n@packet 5 f(0)\n@packet 10 f(0)\n");
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  runner.start();
  EXPECT_EQ(runner.nextPacket(), 5u);
  runner.onArrived(4);
  EXPECT_EQ(core.calls.size(), 1u);
  scheduler.advanceTo(1000);
  runner.onArrived(5);
  runner.onArrived(10);
  EXPECT_TRUE(runner.isBusy());
  drain();
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {2, 1000}, {3, 1100}, {2, 1200}}));
  EXPECT_EQ(runner.waitingCount(), 0u);
}

TEST_F(ControlCallRunnerTest, ARefusedCallNamesItsLine) {
  read("g()\n\nf(7)\n");
  Status status = runner.runBeforeStart();
  ASSERT_FALSE(static_cast<bool>(status));
  EXPECT_EQ(status.error().line, 3u);
  EXPECT_NE(status.error().str().find("it returned 7"), std::string::npos);
}

TEST_F(ControlCallRunnerTest, ARefusedCallDuringTheRunIsRecorded) {
  read("@cycle 5 f(7)\n@cycle 6 g()\n");
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  runner.start();
  drain();
  ASSERT_TRUE(runner.error().has_value());
  EXPECT_EQ(runner.error()->line, 1u);
  EXPECT_EQ(core.calls.size(), 2u) << "nothing runs after an error";
}

TEST_F(ControlCallRunnerTest, AFaultDuringTheRunNamesItsCall) {
  read("@cycle 5 g()\n\n@cycle 6 f(0)\n");
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  runner.start();
  core.faultOfCalls = makeError("E-sim-ixp-041", "reads 0");
  drain();
  ASSERT_TRUE(runner.error().has_value());
  EXPECT_EQ(runner.error()->line, 1u);
  EXPECT_EQ(runner.error()->message, "'m.g' failed: reads 0");
  EXPECT_EQ(core.calls.size(), 2u) << "nothing runs after an error";
}

TEST_F(ControlCallRunnerTest, InvalidCallsAreRejectedBeforeTheRun) {
  EXPECT_NE(createError("f(256)\n", imageWithControl()), "");
  EXPECT_NE(createError("f()\n", imageWithControl()), "");
  EXPECT_NE(createError("nothing()\n", imageWithControl()), "");
  EXPECT_NE(createError("g()\n", target::Image{}).find("E-sim-ixp-020"),
            std::string::npos);
}

TEST_F(ControlCallRunnerTest, ABatchWaitsUntilPacketsHaveLeft) {
  read("@cycle 500 begin\nt.clear()\ncommit\n", imageWithTable());
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  hold.emptyAt = 10000;
  runner.start();
  scheduler.runNext();
  EXPECT_TRUE(hold.held);
  EXPECT_TRUE(runner.isHolding());
  drain();
  // Looks at 500 + 1024 n; the fourth that finds none is at 13812. Then count,
  // dump, next_entry and clear.
  EXPECT_EQ(core.calls,
            (Calls{{14, 13812}, {16, 13912}, {17, 14012}, {13, 14112}}));
  EXPECT_FALSE(hold.held);
  EXPECT_EQ(runner.progressAt(), 14212u);
  EXPECT_FALSE(runner.error().has_value());
}

TEST_F(ControlCallRunnerTest, AnExclusiveFunctionWaitsUntilPacketsHaveLeft) {
  target::Image image = imageWithControl();
  image.manifest["xscale"]["control"][1]["exclusive"] = true;
  read("@cycle 400 f(0)\n@cycle 500 g()\n@cycle 600 f(0)\n@end g()\n", image);
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  hold.emptyAt = 10100; // and the call of initialization takes 100
  runner.start();
  drain();
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {2, 500}, {3, 13912}, {2, 14012}}));
  EXPECT_FALSE(hold.held);
  EXPECT_EQ(runner.progressAt(), 14112u);
  hold.emptyAt = ~uint64_t{0};
  ASSERT_TRUE(static_cast<bool>(runner.runAtEnd()));
  EXPECT_EQ(core.calls.back().first, 3u) << "no packet is left to wait for";
}

TEST_F(ControlCallRunnerTest, AnExclusiveFunctionIsGivenUpIfPacketsStay) {
  target::Image image = imageWithControl();
  image.manifest["xscale"]["control"][1]["exclusive"] = true;
  read("@cycle 5 g()\n", image);
  hold.emptyAt = ~uint64_t{0};
  runner.start();
  drain();
  ASSERT_TRUE(runner.error().has_value());
  EXPECT_EQ(runner.error()->id, "E-sim-ixp-023");
  EXPECT_NE(runner.error()->message.find("so 'm.g' was not called"),
            std::string::npos);
  EXPECT_TRUE(core.calls.empty());
  EXPECT_FALSE(hold.held);
}

TEST_F(ControlCallRunnerTest, ABatchIsGivenUpIfPacketsStay) {
  read("@cycle 5 begin\nt.clear()\ncommit\n", imageWithTable());
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  hold.emptyAt = ~uint64_t{0};
  runner.start();
  drain();
  ASSERT_TRUE(runner.error().has_value());
  EXPECT_EQ(runner.error()->id, "E-sim-ixp-023");
  EXPECT_EQ(runner.error()->line, 1u);
  EXPECT_TRUE(core.calls.empty());
  EXPECT_FALSE(hold.held);
}

TEST_F(ControlCallRunnerTest, ABatchBeforeTheTrafficNeedsNoHold) {
  hold.emptyAt = ~uint64_t{0};
  read("begin\nt.clear()\ncommit\n", imageWithTable());
  ASSERT_TRUE(static_cast<bool>(runner.runBeforeStart()));
  EXPECT_EQ(core.calls.size(), 4u);
}

TEST_F(ControlCallRunnerTest, ABatchOfACachedTableIsRefusedBesideTheEngines) {
  target::Image image = imageWithTable();
  image.manifest["caches"] = {{{"global", "m.t.own.values"}}};
  std::string timed = "@cycle 5 begin\nt.clear()\ncommit\n";
  EXPECT_NE(createError(timed, image).find("E-sim-ixp-022"), std::string::npos);
  EXPECT_EQ(createError("@end " + timed.substr(9), image), "");
  image.manifest["caches"] = {{{"global", "m.other"}}};
  EXPECT_EQ(createError(timed, image), "");
  // A look-up may read any table.
  image.manifest["lookup_caches"] = {{{"lookup", "m.other"}}};
  EXPECT_NE(createError(timed, image).find("E-sim-ixp-022"), std::string::npos);
}

TEST_F(ControlCallRunnerTest, ATimerIsCalledUntilTheFramesHaveCome) {
  read("", imageWithTimer(100));
  runUntil(3500);
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {3, 1100}, {3, 2100}, {3, 3100}}));
  ASSERT_EQ(runner.timerCounts().size(), 1u);
  traces::TimerCounts counts = runner.timerCounts()[0];
  EXPECT_EQ(counts.name, "m.g");
  EXPECT_EQ(counts.calls, 3u);
  EXPECT_EQ(counts.late, 0u);
  EXPECT_EQ(counts.missed, 0u);
  EXPECT_EQ(runner.callCount(), 1u) << "of the initialization";
}

TEST_F(ControlCallRunnerTest, ATimerThatWaitsForTheCoreIsLate) {
  read("@cycle 950 f(0)\n", imageWithTimer(100));
  runUntil(2500);
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {2, 1050}, {3, 1150}, {3, 2100}}));
  EXPECT_EQ(runner.timerCounts()[0].late, 1u);
  EXPECT_EQ(runner.timerCounts()[0].missed, 0u);
}

TEST_F(ControlCallRunnerTest, ATimerThatRunsMissesItsNextTime) {
  read("", imageWithTimer(5)); // 50 cycles; a call takes 100
  runUntil(400);
  EXPECT_EQ(core.calls, (Calls{{1, 0}, {3, 150}, {3, 250}, {3, 350}}));
  EXPECT_EQ(runner.timerCounts()[0].calls, 3u);
  EXPECT_EQ(runner.timerCounts()[0].missed, 2u);
  EXPECT_EQ(runner.progressAt(), 0u) << "or a chip with a timer is never stuck";
}

TEST_F(ControlCallRunnerTest, AnExclusiveTimerMissesItsTimeIfPacketsStay) {
  target::Image image = imageWithTimer(200000);
  image.manifest["xscale"]["control"][1]["exclusive"] = true;
  read("", image);
  hold.emptyAt = ~uint64_t{0};
  hold.overAt = 2100000;
  runner.start();
  drain();
  EXPECT_FALSE(runner.error().has_value());
  EXPECT_TRUE(core.calls.empty());
  EXPECT_FALSE(hold.held);
  EXPECT_EQ(runner.timerCounts()[0].missed, 1u);
}
