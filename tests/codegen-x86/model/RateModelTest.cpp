// The model of rates, against values computed by hand.

#include "codegen-x86/model/RateModel.h"
#include <gmock/gmock.h>

using namespace karakal::x86;
using testing::HasSubstr;

namespace {

/// Misses at 2^20 lines and more take 101 - 1 ns alone and 9 - 1 ns together.
Machine simpleMachine() {
  Machine machine;
  machine.processor = "test";
  machine.windowInstructions = 300;
  machine.instructionNs = 0.1;
  machine.mispredictionNs = 5;
  machine.memory = {{1 << 15, 1, 1}, {1 << 26, 101, 9}};
  machine.burst = {{1, 40}, {4, 20}, {256, 20}};
  machine.cut = {{2, 6}, {8, 4}, {256, 8}};
  return machine;
}

constexpr double farLines = 1 << 21;

ProgramWork lookUps() {
  ProgramWork work;
  work.oneByOne.instructions = 600;
  work.oneByOne.mispredictions = 2;
  work.oneByOne.lines.add(farLines, 3);
  work.oneByOne.chain.add(farLines, 2);
  work.staged = Work();
  work.staged->instructions = 700;
  work.staged->mispredictions = 1;
  work.staged->cuts = 3;
  work.staged->lines.add(farLines, 3);
  work.staged->prefetched.add(farLines, 3);
  return work;
}

TEST(Machine, InterpolatesOverTheLogarithmOfTheSize) {
  Machine machine = simpleMachine();
  EXPECT_DOUBLE_EQ(machine.latencyNs(1), 0) << "in the first cache";
  EXPECT_DOUBLE_EQ(machine.latencyNs(512), 0);
  EXPECT_DOUBLE_EQ(machine.latencyNs(1 << 20), 100);
  EXPECT_DOUBLE_EQ(machine.parallelNs(1e9), 8);
  // 2^15 to 2^26 bytes are 11 octaves; 2^11 lines are 2 of them up.
  EXPECT_NEAR(machine.latencyNs(2048), 100 * 2 / 11.0, 1e-9);
  EXPECT_DOUBLE_EQ(machine.burstNs(2), 30);
  EXPECT_DOUBLE_EQ(machine.burstNs(64), 20);
  EXPECT_DOUBLE_EQ(machine.cutNs(4), 5);
  EXPECT_DOUBLE_EQ(machine.cutNs(1), 6);
}

TEST(RateModel, AddsTheTimesOfPacketsOneByOne) {
  // ω = 1 + 300 / 600
  PacketTime time = timeOf(simpleMachine(), lookUps(), {4, 1});
  EXPECT_DOUBLE_EQ(time.burst, 20);
  EXPECT_DOUBLE_EQ(time.instructions, 60);
  EXPECT_DOUBLE_EQ(time.mispredictions, 10);
  EXPECT_DOUBLE_EQ(time.cuts, 0);
  EXPECT_DOUBLE_EQ(time.lines, 3 * 8);
  EXPECT_DOUBLE_EQ(time.waits, 2 * 100 / 1.5);
  EXPECT_DOUBLE_EQ(timeOf(simpleMachine(), lookUps(), {1, 1}).burst, 40);
}

TEST(RateModel, PrefetchedMissesShareTheirLatency) {
  PacketTime time = timeOf(simpleMachine(), lookUps(), {8, 8});
  EXPECT_DOUBLE_EQ(time.instructions, 70);
  EXPECT_DOUBLE_EQ(time.mispredictions, 5);
  EXPECT_DOUBLE_EQ(time.cuts, 3 * 4);
  EXPECT_DOUBLE_EQ(time.lines, 24);
  EXPECT_DOUBLE_EQ(time.waits, 300 / 8.0);
  EXPECT_DOUBLE_EQ(time.total(), 20 + 70 + 5 + 12 + 24 + 37.5);
}

TEST(RateModel, TheWindowOverlapsMoreThanASmallSubBatch) {
  ProgramWork work = lookUps();
  work.staged->instructions = 100; // ω = 4
  EXPECT_DOUBLE_EQ(timeOf(simpleMachine(), work, {4, 2}).waits, 300 / 4.0);
  EXPECT_DOUBLE_EQ(timeOf(simpleMachine(), work, {8, 8}).waits, 300 / 8.0);
}

TEST(RateModel, WithoutCutsASubBatchIsOneByOne) {
  ProgramWork work = lookUps();
  work.staged.reset();
  EXPECT_DOUBLE_EQ(timeOf(simpleMachine(), work, {8, 8}).total(),
                   timeOf(simpleMachine(), work, {8, 1}).total());
}

TEST(RateModel, ChoosesStagesForMissesAndABurstWithout) {
  Machine machine = simpleMachine();
  ProgramWork work = lookUps();
  Batching chosen = chooseBatching(machine, work);
  EXPECT_GT(chosen.subBatch, 8u);
  // The same accesses, all in the first cache.
  for (Work *each : {&work.oneByOne, &*work.staged})
    each->lines = each->chain = each->prefetched = DistanceHistogram();
  EXPECT_EQ(chooseBatching(machine, work), (Batching{4, 1}))
      << "larger bursts bring nothing, and packets wait for them";
}

TEST(RateModel, KeepsWhatWasAskedFor) {
  Machine machine = simpleMachine();
  ProgramWork work = lookUps();
  Asked asked;
  asked.burst = 16;
  EXPECT_EQ(chooseBatching(machine, work, asked).burst, 16u);
  EXPECT_LE(chooseBatching(machine, work, asked).subBatch, 16u);
  asked.subBatch = 1;
  EXPECT_EQ(chooseBatching(machine, work, asked), (Batching{16, 1}));
  asked.burst.reset();
  asked.subBatch = 48;
  EXPECT_EQ(chooseBatching(machine, work, asked), (Batching{48, 48}));
}

TEST(RateModel, ACutGainsWhereItsObjectMisses) {
  Machine machine = simpleMachine();
  DistanceHistogram misses, hits;
  misses.add(farLines, 1);
  hits.add(64, 1);
  Work work;
  work.instructions = 600;
  CutGain large = gainOfCut(machine, work, misses, 8);
  EXPECT_DOUBLE_EQ(large.without, 100 / 1.5);
  EXPECT_DOUBLE_EQ(large.with, 100 / 8.0 + 4);
  CutGain small = gainOfCut(machine, work, hits, 8);
  EXPECT_LT(small.without, small.with);
  hits = DistanceHistogram();
  hits.add(1, 5); // the fields of one element
  EXPECT_DOUBLE_EQ(gainOfCut(machine, work, hits, 8).with, 0);
}

TEST(RateModel, TheGridHasARowForEachBurst) {
  std::string text = gridText(simpleMachine(), lookUps());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
  // {4, 1}: 20 + 60 + 10 + 24 + 133.33 ns
  EXPECT_THAT(text, HasSubstr("\n      4   4.04"));
}

} // namespace
