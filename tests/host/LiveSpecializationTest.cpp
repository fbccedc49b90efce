// A program that runs until it is told to stop, with specialized code: whatever
// becomes of builds, it sends the frames of the program's own code.

#include "CountingProgram.h"
#include "host/live/LiveHostProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace karakal;
using namespace karakal::host;

namespace {

using Frames = std::vector<std::vector<uint8_t>>;

struct Sent : x86::FrameSink {
  void send(const x86::Frame &frame) override {
    frames.emplace_back(frame.data, frame.data + frame.bytes);
  }
  void flush() override {}
  Frames frames;
};

/// A program on some cores, used as a switch does it.
class Live {
public:
  static constexpr size_t Mode = 0, Limit = 1, Send = 2;

  explicit Live(const SpecializeOptions &options, uint32_t cores = 1)
      : program(
            makeLiveProgram(makeCounting(), 1'000'000'000, cores, options)) {
    EXPECT_TRUE(program->init());
    program->settle();
  }
  void call(size_t function, std::vector<uint64_t> arguments) {
    auto changing = program->change();
    {
      auto attached = program->core(0).attach();
      EXPECT_TRUE(program->core(0).call(function, arguments, 0, sent));
    }
    if (changing)
      changing.unlock();
    program->settle();
  }
  void burst(uint32_t count, uint32_t core = 0) {
    std::vector<uint8_t> bytes(60, uint8_t(count));
    std::vector<x86::Frame> frames(count, {bytes.data(), 60, 0});
    auto attached = program->core(core).attach();
    program->core(core).run(frames.data(), count, 0, sent);
  }
  /// Calls and bursts in a random order that `seed` decides.
  void history(unsigned seed, int steps, uint32_t cores = 1) {
    std::mt19937 random(seed);
    for (int i = 0; i < steps; ++i)
      switch (random() % 4) {
      case 0:
        call(random() % 2 ? Mode : Limit, {random() % 3});
        break;
      case 1:
        if (random() % 4 == 0)
          call(Send, {});
        break;
      default:
        burst(1 + random() % 8, random() % cores);
      }
  }
  SpecializeReport report() { return program->specialization(); }

  Sent sent;
  std::unique_ptr<x86::LiveProgram> program;
};

SpecializeOptions optionsFor(SpecializeWhen when) {
  SpecializeOptions options;
  options.when = when;
  options.restMsMin = 0;
  return options;
}

Frames framesOf(const SpecializeOptions &options, unsigned seed,
                uint32_t cores = 1) {
  Live live(options, cores);
  live.history(seed, 150, cores);
  return live.sent.frames;
}

TEST(LiveSpecializationTest, FramesAreThoseOfTheOwnCode) {
  for (unsigned seed : {1, 2}) {
    Frames own = framesOf(optionsFor(SpecializeWhen::Never), seed);
    ASSERT_GT(own.size(), 200u);
    EXPECT_EQ(framesOf(optionsFor(SpecializeWhen::AtOnce), seed), own);
    EXPECT_EQ(framesOf(optionsFor(SpecializeWhen::Background), seed), own);
  }
}

TEST(LiveSpecializationTest, EachCoreHasCodeForItsPackets) {
  Frames own = framesOf(optionsFor(SpecializeWhen::Never), 3, 2);
  EXPECT_EQ(framesOf(optionsFor(SpecializeWhen::Background), 3, 2), own);
  Live live(optionsFor(SpecializeWhen::AtOnce), 2);
  live.history(3, 150, 2);
  EXPECT_EQ(live.sent.frames, own);
  SpecializeReport report = live.report();
  EXPECT_EQ(report.ownBursts, 0u);
  EXPECT_TRUE(report.isInForce);
  for (uint32_t core : {0, 1})
    EXPECT_GT(live.program->core(core).counts().specializedBursts, 10u);
}

TEST(LiveSpecializationTest, FailedBuildsLeaveTheOwnCode) {
  SpecializeOptions options = optionsFor(SpecializeWhen::AtOnce);
  unsigned count = 0;
  options.failBuild = [&] { return ++count % 2 == 0; };
  Live live(options);
  live.history(4, 150);
  EXPECT_EQ(live.sent.frames, framesOf(optionsFor(SpecializeWhen::Never), 4));
  SpecializeReport report = live.report();
  EXPECT_GT(report.failed, 5u);
  EXPECT_GT(report.used, 5u);
  EXPECT_GT(report.ownBursts, 0u);
  EXPECT_GT(report.specializedBursts, 0u);
  EXPECT_GT(report.undone, 0u);
  EXPECT_EQ(report.failure, "a failure for a test");
}

/// Shows that these tests would find bursts that do not look at versions.
TEST(LiveSpecializationTest, AFaultInTheGuardIsFound) {
  SpecializeOptions options = optionsFor(SpecializeWhen::AtOnce);
  unsigned count = 0;
  options.failBuild = [&] { return ++count % 2 == 0; };
  options.skipsGuard = true;
  EXPECT_NE(framesOf(options, 4),
            framesOf(optionsFor(SpecializeWhen::Never), 4));
}

/// Waits for what another thread does.
template <typename Done> bool waitFor(Done done) {
  for (int i = 0; i < 20000 && !done(); ++i)
    usleep(1000);
  return done();
}

TEST(LiveSpecializationTest, CodeFollowsAChangeAndIsExplained) {
  Live live(optionsFor(SpecializeWhen::Background));
  ASSERT_TRUE(waitFor([&] { return live.report().isInForce; }));
  live.call(Live::Mode, {7});
  ASSERT_TRUE(waitFor([&] { return live.report().isInForce; }));
  live.burst(4);
  SpecializeReport report = live.report();
  EXPECT_EQ(report.specializedBursts, 1u);
  EXPECT_EQ(report.undone, 1u);
  EXPECT_EQ(report.delayMs.size(), 2u); // from the start, and from the call
  std::optional<x86::Assumptions> made;
  ASSERT_TRUE(waitFor([&] { return bool(made = live.program->explain()); }));
  ASSERT_EQ(made->assumptions.size(), 1u);
  EXPECT_EQ(made->assumptions[0].what, "is 7");
  EXPECT_GT(made->assumptions[0].savedInstructions, 0);
  EXPECT_THAT(made->assumptions[0].undoneBy, testing::ElementsAre("m.mode"));
}

TEST(LiveSpecializationTest, UpdatesThatNeverEndAreBuiltSeldom) {
  SpecializeOptions options = optionsFor(SpecializeWhen::Background);
  options.restMsMin = options.restMsMax = 1e9;
  Live live(options);
  for (int i = 0; i < 2000; ++i) {
    live.call(Live::Mode, {uint64_t(i)});
    live.burst(1);
  }
  EXPECT_LE(live.report().builds, 1u);
}

uint64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * uint64_t(sysconf(_SC_PAGESIZE));
}

/// KARAKAL_STORM_SECONDS makes it longer.
TEST(LiveSpecializationTest, AStormOfUpdatesTakesConstantMemory) {
  using Clock = std::chrono::steady_clock;
  const char *asked = std::getenv("KARAKAL_STORM_SECONDS");
  auto end = Clock::now() + std::chrono::seconds(asked ? std::atoi(asked) : 0);
  Live live(optionsFor(SpecializeWhen::AtOnce), 2);
  constexpr unsigned warmBuilds = 60, buildsMin = 180;
  uint64_t before = 0;
  for (unsigned i = 0; i < buildsMin || Clock::now() < end; ++i) {
    live.call(Live::Mode, {i});
    live.burst(2, i % 2);
    live.sent.frames.clear();
    if (i == warmBuilds)
      before = residentBytes();
  }
  SpecializeReport report = live.report();
  EXPECT_GE(report.used, buildsMin);
  EXPECT_EQ(report.ownBursts, 0u);
  constexpr uint64_t slackBytes = 8 << 20;
  EXPECT_LE(residentBytes(), before + slackBytes);
}

} // namespace
