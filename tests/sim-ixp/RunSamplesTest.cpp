// Is a run of any length described by a bounded number of windows, and does
// nothing get lost when they merge?

#include "sim-ixp/observe/RunSamples.h"

#include <gtest/gtest.h>

using namespace karakal::sim;

namespace {

/// Ends all windows up to `cycle`.
void endWindows(RunSamples &samples, uint64_t cycle) {
  for (uint64_t now = samples.beginCycle(); now <= cycle; now += 64)
    if (samples.isDue(now)) {
      RunSamples::Totals totals;
      totals.cycle = now;
      totals.received = now;
      samples.addTotals(totals);
    }
}

uint64_t sumOf(const RunSamples &samples, Activity activity) {
  uint64_t sum = 0;
  for (size_t i = 0; i < RunSamples::windowCountMax; ++i)
    sum += samples.cyclesIn(i, 2, 3, activity);
  return sum;
}

TEST(RunSamples, WindowsMergeAndLoseNothing) {
  RunSamples samples;
  samples.start(1000, nullptr);
  uint64_t end =
      1000 + 5 * RunSamples::windowCountMax * RunSamples::windowCyclesFirst;
  uint64_t runs = 0, ready = 0, waits = 0;
  for (uint64_t cycle = 1000; cycle + 100 <= end; cycle += 100) {
    samples.addSegment(2, 3, cycle, cycle + 30);
    samples.addWait(2, 3, {cycle + 30, cycle + 80, cycle + 100, 7, 1u << 5});
    runs += 30, waits += 50, ready += 20;
  }
  endWindows(samples, end);
  EXPECT_EQ(samples.windowCycles(), 8 * RunSamples::windowCyclesFirst);
  EXPECT_EQ(samples.totals().size(), 5 * RunSamples::windowCountMax / 8);
  EXPECT_EQ(samples.totals().back().cycle, end);
  EXPECT_EQ(sumOf(samples, Activity::Run), runs);
  EXPECT_EQ(sumOf(samples, Activity::Ready), ready);
  EXPECT_EQ(sumOf(samples, Activity::Other), waits);
  for (size_t i = 1; i < samples.totals().size(); ++i)
    EXPECT_EQ(samples.totals()[i].cycle - samples.totals()[i - 1].cycle,
              samples.windowCycles());
}

TEST(RunSamples, OnlyTheBeginningOfAWindowIsKeptExactly) {
  RunSamples samples;
  samples.start(0, nullptr);
  uint64_t end =
      40 * RunSamples::windowCountMax * RunSamples::windowCyclesFirst;
  for (uint64_t cycle = 0; cycle < end; cycle += 128)
    samples.addSegment(0, 0, cycle, cycle + 128);
  ASSERT_GT(samples.windowCycles(), RunSamples::detailCycles);
  EXPECT_FALSE(samples.spans().empty());
  for (const ContextSpan &span : samples.spans())
    EXPECT_LT(span.begin % samples.windowCycles(), RunSamples::detailCycles);
}

TEST(RunSamples, AContextWaitsForTheUnitWhoseCommandRaisesItsSignal) {
  RunSamples samples;
  samples.start(0, nullptr);
  Command command;
  command.engine = 2;
  command.context = 3;
  command.op = karakal::target::Op::SramRead;
  command.signal = 4;
  samples.onCommand(10, command, false);
  samples.onCommand(110, command, true);
  samples.addWait(2, 3, {10, 110, 120, 0, 1u << 4});
  EXPECT_EQ(sumOf(samples, Activity::Sram), 100u);
  // The next wait is for a signal that no command raises.
  samples.addWait(2, 3, {130, 150, 150, 0, 1u << 9});
  EXPECT_EQ(sumOf(samples, Activity::Other), 20u);
  EXPECT_EQ(sumOf(samples, Activity::Ready), 10u);
  // A command that has only begun has raised nothing.
  samples.onCommand(200, command, false);
  samples.addWait(2, 3, {190, 207, 207, 0, 1u << 4});
  EXPECT_EQ(sumOf(samples, Activity::Sram), 100u);
  EXPECT_EQ(sumOf(samples, Activity::Other), 37u);
}

TEST(RunSamples, APacketIsForwardedIfAFrameLeaves) {
  RunSamples samples;
  samples.start(0, nullptr);
  for (uint64_t number : {0, 1}) {
    samples.addPacket(10, number, PacketStep::Put);
    samples.addPacket(20, number, PacketStep::Get);
    samples.addPacket(30, number, PacketStep::Put);
    samples.addPacket(40, number, PacketStep::Freed);
  }
  samples.setFate(1, PacketFate::Dropped);
  samples.setSent(50, 0, 2, 33);
  const PacketRow &sent = samples.packets()[0], &dropped = samples.packets()[1];
  EXPECT_EQ(sent.received, 10u);
  EXPECT_EQ(sent.taken, 20u);
  EXPECT_EQ(sent.left, 50u);
  EXPECT_EQ(sent.fate, PacketFate::Forwarded);
  EXPECT_EQ(sent.latency, 33u);
  EXPECT_EQ(dropped.left, 40u);
  EXPECT_EQ(dropped.fate, PacketFate::Dropped);
}

} // namespace
