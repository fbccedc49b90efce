// A program that runs until it is told to stop, whose packets run in stages:
// what a packet that does something illegal costs the others, and that each
// core has data of its own for its batches.

#include "HandWrittenPrograms.h"
#include "host/live/LiveHostProgram.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::host;

namespace {

constexpr uint32_t burstSize = 32, subBatch = 8;
/// The first byte of a frame that makes the program do something illegal.
constexpr uint8_t illegal = 7;

/// Sends each packet with the number of batches of its core so far, 0 if it
/// runs by itself.
HostProgram makeStaged() {
  HostProgram program = makeProgram(R"(
@karakal.batch.number = internal global i64 0
define void @in(i32 %h) {
  call void @run(i32 %h, i64 0)
  ret void
}
define internal void @run(i32 %h, i64 %number) {
  %kind = call i64 @baker_packet_read(i32 %h, i32 0, i32 8)
  %isBad = icmp eq i64 %kind, 7
  br i1 %isBad, label %bad, label %good
bad:
  call void @baker_packet_write(i32 %h, i32 100000, i32 8, i64 1)
  br label %good
good:
  call void @baker_packet_write(i32 %h, i32 8, i32 8, i64 %number)
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define void @karakal_x86_run_batch(ptr %handles, i32 %first, i32 %count) {
  %before = load i64, ptr @karakal.batch.number
  %number = add i64 %before, 1
  store i64 %number, ptr @karakal.batch.number
  br label %loop
loop:
  %slot = phi i32 [ 0, %0 ], [ %next, %done ]
  %at = getelementptr i32, ptr %handles, i32 %slot
  %h = load i32, ptr %at
  %isNone = icmp eq i32 %h, 0
  br i1 %isNone, label %done, label %packet
packet:
  call void @run(i32 %h, i64 %number)
  br label %done
done:
  %next = add i32 %slot, 1
  %goesOn = icmp ult i32 %next, %count
  br i1 %goesOn, label %loop, label %end
end:
  ret void
}
)");
  program.hasBatches = true;
  return program;
}

struct Sent : x86::FrameSink {
  void send(const x86::Frame &frame) override {
    numbers.push_back(frame.data[1]);
  }
  void flush() override {}
  std::vector<uint8_t> numbers; ///< of the batches
};

class LiveStagesTest : public ::testing::Test {
protected:
  void start(uint32_t cores) {
    program = makeLiveProgram(makeStaged(), 1'000'000'000, cores, {}, subBatch);
    ASSERT_TRUE(program->init());
  }
  /// Runs a burst, in which packet `bad` is illegal; none: no packet is.
  std::vector<uint8_t> burst(uint32_t core = 0, uint32_t bad = burstSize) {
    std::vector<std::vector<uint8_t>> bytes(burstSize,
                                            std::vector<uint8_t>(60, 0));
    std::vector<x86::Frame> frames;
    for (uint32_t i = 0; i < burstSize; ++i) {
      bytes[i][0] = i == bad ? illegal : 1;
      frames.push_back({bytes[i].data(), 60, 0});
    }
    Sent sent;
    auto attached = program->core(core).attach();
    program->core(core).run(frames.data(), burstSize, 0, sent);
    return sent.numbers;
  }
  /// As many of each batch number as the pairs say.
  static std::vector<uint8_t>
  numbers(const std::vector<std::pair<uint8_t, size_t>> &pairs) {
    std::vector<uint8_t> all;
    for (auto [number, count] : pairs)
      all.insert(all.end(), count, number);
    return all;
  }

  std::unique_ptr<x86::LiveProgram> program;
};

TEST_F(LiveStagesTest, ABurstRunsInSubBatches) {
  start(1);
  EXPECT_EQ(burst(), numbers({{1, 8}, {2, 8}, {3, 8}, {4, 8}}));
  EXPECT_EQ(program->core(0).counts().forwarded, burstSize);
}

TEST_F(LiveStagesTest, AnIllegalPacketEndsTheRestOfItsSubBatch) {
  start(1);
  // Packet 10 ends with packets 11 to 15. Those after them run by themselves.
  EXPECT_EQ(burst(0, 10), numbers({{1, 8}, {2, 2}, {0, 16}}));
  x86::LiveCounts counts = program->core(0).counts();
  EXPECT_EQ(counts.received, burstSize);
  EXPECT_EQ(counts.faults, 1u);
  EXPECT_EQ(counts.lostInFaults, 6u);
  EXPECT_EQ(counts.forwarded, burstSize - 6);
}

TEST_F(LiveStagesTest, AfterAFaultPacketsRunByThemselvesForAWhile) {
  start(1);
  burst(0, 0);
  EXPECT_EQ(program->core(0).counts().lostInFaults, 8u);
  constexpr int careful = 1024;
  for (int i = 0; i < careful - 1; ++i)
    ASSERT_EQ(burst(), numbers({{0, burstSize}})) << i;
  // A second one costs nobody else a packet, and no time is added.
  EXPECT_EQ(burst(0, 10), numbers({{0, burstSize - 1}}));
  EXPECT_EQ(program->core(0).counts().lostInFaults, 9u);
  EXPECT_EQ(burst(), numbers({{2, 8}, {3, 8}, {4, 8}, {5, 8}}));
}

TEST_F(LiveStagesTest, EachCoreHasItsOwnDataOfBatches) {
  start(2);
  EXPECT_EQ(burst(0).front(), 1);
  EXPECT_EQ(burst(0).front(), 5);
  EXPECT_EQ(burst(1).front(), 1);
  EXPECT_EQ(burst(1).back(), 8);
  EXPECT_EQ(burst(0).front(), 9);
}

} // namespace
