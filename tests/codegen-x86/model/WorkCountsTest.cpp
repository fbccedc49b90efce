// Counts of instructions, branches and accesses per packet.

#include "codegen-x86/model/WorkCounts.h"
#include <gmock/gmock.h>
#include <random>

using namespace karakal::x86;

namespace {

TEST(BranchPredictor, LearnsABranchAndAPattern) {
  BranchPredictor predictor;
  for (int i = 0; i < 100; ++i)
    predictor.mispredicts(1, true);
  EXPECT_FALSE(predictor.mispredicts(1, true));
  for (int i = 0; i < 1000; ++i)
    predictor.mispredicts(2, i % 3 == 0);
  int wrong = 0;
  for (int i = 1000; i < 1300; ++i)
    wrong += predictor.mispredicts(2, i % 3 == 0);
  EXPECT_EQ(wrong, 0) << "the last outcomes tell the next one";
}

TEST(BranchPredictor, MispredictsHalfOfRandomOutcomes) {
  BranchPredictor predictor;
  std::mt19937 random(1);
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i)
    wrong += predictor.mispredicts(3, random() & 1);
  EXPECT_NEAR(wrong, 10'000, 600);
}

TEST(WorkCounts, AreOfAPacketAndOfItsSchedule) {
  WorkCounts counts;
  counts.block(1000); // before the first packet: not observed
  for (int i = 0; i < 4; ++i) {
    counts.begin(Schedule::OneByOne);
    counts.block(20);
    counts.block(10);
    counts.endPackets(1);
    counts.begin(Schedule::Staged);
    counts.block(100);
    counts.endPackets(2);
  }
  counts.pause();
  counts.block(1000);
  EXPECT_EQ(counts.packets(Schedule::OneByOne), 4u);
  EXPECT_EQ(counts.packets(Schedule::Staged), 8u);
  EXPECT_EQ(counts.work(Schedule::OneByOne).instructions, 30);
  EXPECT_EQ(counts.work(Schedule::Staged).instructions, 50);
}

TEST(WorkCounts, AFirstUseIsAsFarAsAllLines) {
  WorkCounts counts;
  counts.begin(Schedule::OneByOne);
  for (uint64_t line = 0; line < 1024; ++line) {
    counts.access(AccessKind::Free, line * 64, 0);
    counts.endPackets(1);
  }
  Work work = counts.work(Schedule::OneByOne);
  EXPECT_DOUBLE_EQ(work.lines.count(), 1);
  EXPECT_DOUBLE_EQ(work.lines.beyond(1024), 1);
  EXPECT_DOUBLE_EQ(work.lines.beyond(2048), 0);
}

TEST(WorkCounts, IndependentAccessesOfAPacketWaitOnce) {
  WorkCounts counts;
  auto packet = [&] {
    counts.access(AccessKind::Free, 0x1000, 1);
    counts.access(AccessKind::Free, 0x2000, 2);
    counts.access(AccessKind::Dependent, 0x3000, 3);
    counts.endPackets(1);
  };
  counts.warmUp();
  packet();
  counts.begin(Schedule::OneByOne);
  packet();
  packet();
  Work work = counts.work(Schedule::OneByOne);
  EXPECT_DOUBLE_EQ(work.lines.count(), 3);
  EXPECT_DOUBLE_EQ(work.chain.count(), 2);
  EXPECT_DOUBLE_EQ(work.chain.beyond(2), 2); // two others since the last use
  EXPECT_EQ(counts.byObject().size(), 3u);
}

TEST(WorkCounts, APrefetchIsACut) {
  WorkCounts counts;
  counts.begin(Schedule::Staged);
  for (uint64_t slot = 0; slot < 2; ++slot)
    counts.access(AccessKind::Prefetch, slot * 4096, 0);
  for (uint64_t slot = 0; slot < 2; ++slot)
    counts.access(AccessKind::Free, slot * 4096, 0);
  counts.endPackets(2);
  Work work = counts.work(Schedule::Staged);
  EXPECT_DOUBLE_EQ(work.cuts, 1);
  EXPECT_DOUBLE_EQ(work.prefetched.count(), 1);
  EXPECT_TRUE(counts.byObject().empty()) << "those of packets one by one";
}

} // namespace
