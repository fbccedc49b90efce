// Whole runs, from image and trace to report.

#include "sim-ixp/run/Simulation.h"
#include "ForwardImage.h"
#include "sim-ixp/report/Statistics.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

struct Outcome {
  std::unique_ptr<Simulation> run;
  std::string error;
  nlohmann::json stats;
};

Outcome simulate(const target::Image &image, std::vector<traces::Packet> trace,
                 SimulationOptions options = {}) {
  Outcome outcome;
  options.keepFrames = true;
  if (options.maxCycles == 0)
    options.maxCycles = 20000000;
  auto made = Simulation::create(options, image, std::move(trace), {});
  if (!made) {
    outcome.error = made.error().str();
    return outcome;
  }
  outcome.run = std::move(*made);
  if (Status status = outcome.run->run(); !status)
    outcome.error = status.error().str();
  else
    outcome.stats = collectStatistics(*outcome.run);
  return outcome;
}

} // namespace

TEST(SimulationTest, EveryFrameComesBackUnchanged) {
  auto trace = makeTrace(400, 60);
  Outcome outcome = simulate(makeImage(forwardProgram()), trace);
  ASSERT_EQ(outcome.error, "");
  const auto &sent = outcome.run->sentFrames();
  ASSERT_EQ(sent.size(), trace.size());
  for (const SentFrame &frame : sent) {
    ASSERT_LT(frame.number, trace.size());
    EXPECT_EQ(frame.bytes, trace[frame.number].bytes);
    EXPECT_EQ(frame.port, trace[frame.number].port);
  }
  EXPECT_EQ(outcome.stats["packets"]["received"], 400);
  EXPECT_EQ(outcome.stats["packets"]["forwarded"], 400);
}

TEST(SimulationTest, FramesOfAllSizesPass) {
  std::vector<traces::Packet> trace;
  for (uint32_t bytes : {60u, 61u, 64u, 65u, 127u, 128u, 512u, 1514u, 1522u})
    for (const traces::Packet &packet : makeTrace(8, bytes))
      trace.push_back(packet);
  Outcome outcome = simulate(makeImage(forwardProgram()), trace);
  ASSERT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.run->sentFrames().size(), trace.size());
  for (const SentFrame &frame : outcome.run->sentFrames())
    EXPECT_EQ(frame.bytes, trace[frame.number].bytes);
}

TEST(SimulationTest, PacketsAndCyclesAreConserved) {
  SimulationOptions options;
  options.warmup = 100;
  Outcome outcome = simulate(makeImage(forwardProgram(dropOddPorts)),
                             makeTrace(1000, 60), options);
  ASSERT_EQ(outcome.error, "");
  const nlohmann::json &packets = outcome.stats["packets"];
  EXPECT_EQ(packets["received"], 1000);
  EXPECT_EQ(packets["dropped"], 500);
  EXPECT_EQ(packets["forwarded"], 500);
  EXPECT_EQ(outcome.stats["drops"]["unspecified"], 500);
  for (const nlohmann::json &engine : outcome.stats["microengines"])
    EXPECT_EQ(engine["issue_cycles"].get<uint64_t>() +
                  engine["aborted_cycles"].get<uint64_t>() +
                  engine["stall_cycles"].get<uint64_t>() +
                  engine["idle_cycles"].get<uint64_t>(),
              engine["cycles"].get<uint64_t>())
        << engine["id"];
}

TEST(SimulationTest, AccessesOfAPacketAreCounted) {
  target::Image image = makeImage(forwardProgram());
  Outcome outcome = simulate(image, makeTrace(500, 60));
  ASSERT_EQ(outcome.error, "");
  const nlohmann::json &each = outcome.stats["per_packet"];
  EXPECT_DOUBLE_EQ(each["packet"]["scratch"], 2);
  EXPECT_DOUBLE_EQ(each["packet"]["sram"], 2);
  EXPECT_DOUBLE_EQ(each["packet"]["dram"], 0);
  EXPECT_DOUBLE_EQ(each["application"]["sram"], 0);
  // With the descriptors declared a global, the same accesses count as the
  // program's.
  image.manifest["globals"].push_back({{"name", "table"},
                                       {"memory", "sram0"},
                                       {"address", 0x10000},
                                       {"bytes", 0x40000}});
  outcome = simulate(image, makeTrace(500, 60));
  EXPECT_DOUBLE_EQ(outcome.stats["per_packet"]["application"]["sram"], 2);
  EXPECT_DOUBLE_EQ(outcome.stats["per_packet"]["packet"]["sram"], 0);
}

TEST(SimulationTest, TheSameRunGivesTheSameBytes) {
  target::Image image = makeImage(forwardProgram(dropOddPorts));
  Outcome one = simulate(image, makeTrace(300, 100));
  Outcome two = simulate(image, makeTrace(300, 100));
  ASSERT_EQ(one.error, "");
  EXPECT_EQ(one.stats.dump(), two.stats.dump());
  ASSERT_EQ(one.run->sentFrames().size(), two.run->sentFrames().size());
  for (size_t i = 0; i < one.run->sentFrames().size(); ++i) {
    EXPECT_EQ(one.run->sentFrames()[i].cycle, two.run->sentFrames()[i].cycle);
    EXPECT_EQ(one.run->sentFrames()[i].number, two.run->sentFrames()[i].number);
  }
}

TEST(SimulationTest, AnOfferedRateIsMet) {
  SimulationOptions options;
  options.offeredGbps = 0.5;
  options.packets = 2000;
  Outcome outcome =
      simulate(makeImage(forwardProgram()), makeTrace(10, 60), options);
  ASSERT_EQ(outcome.error, "");
  EXPECT_NEAR(outcome.stats["rate"]["forwarded_gbps"].get<double>(), 0.5, 0.01);
  EXPECT_EQ(outcome.stats["packets"]["rx_overflow"], 0);
}

TEST(SimulationTest, MoreEnginesForwardMore) {
  double rates[2];
  for (uint32_t i = 0; i < 2; ++i) {
    SimulationOptions options;
    options.load.engines = 1 + i;
    options.load.threads = 1;
    Outcome outcome =
        simulate(makeImage(forwardProgram()), makeTrace(500, 60), options);
    ASSERT_EQ(outcome.error, "");
    rates[i] = outcome.stats["rate"]["forwarded_mpps"];
  }
  EXPECT_GT(rates[1], 1.7 * rates[0]);
}

TEST(SimulationTest, MoreEnginesThanTheImageHasIsAnError) {
  SimulationOptions options;
  options.load.engines = 4;
  Outcome outcome =
      simulate(makeImage(forwardProgram(), 3), makeTrace(4, 60), options);
  EXPECT_NE(outcome.error.find("E-sim-ixp-010"), std::string::npos)
      << outcome.error;
}

TEST(SimulationTest, ADeadlockNamesEveryContext) {
  // The program waits for a signal that is never raised.
  Outcome outcome = simulate(
      makeImage(forwardProgram("    .sig never\n    ctx_arb[never]\n")),
      makeTrace(20, 60));
  EXPECT_NE(outcome.error.find("E-sim-ixp-031"), std::string::npos)
      << outcome.error;
  EXPECT_NE(outcome.error.find("engine 6 context 7: asleep at PC"),
            std::string::npos)
      << outcome.error;
}

TEST(SimulationTest, ALivelockIsFound) {
  SimulationOptions options;
  options.stallCycles = 50000;
  Outcome outcome =
      simulate(makeImage(forwardProgram("again#:\n    ctx_arb[voluntary], "
                                        "br[again#]\n")),
               makeTrace(20, 60), options);
  EXPECT_NE(outcome.error.find("no packet has moved"), std::string::npos)
      << outcome.error;
}

TEST(SimulationTest, ExceedingMaxCyclesIsAnError) {
  SimulationOptions options;
  options.maxCycles = 10000;
  Outcome outcome =
      simulate(makeImage(forwardProgram()), makeTrace(5000, 60), options);
  EXPECT_NE(outcome.error.find("E-sim-ixp-032"), std::string::npos)
      << outcome.error;
}

TEST(SimulationTest, FreeingABufferTwiceIsAFault) {
  Outcome outcome =
      simulate(makeImage(forwardProgram("    sram[enqueue, --, buffer, 0]\n"
                                        "    sram[enqueue, --, buffer, 0]\n"
                                        "    br[next#]\n")),
               makeTrace(20, 60));
  EXPECT_NE(outcome.error.find("already free"), std::string::npos)
      << outcome.error;
}
