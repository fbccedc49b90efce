// The buffers of packets, as host/ and the library's interface share them.

#include "codegen-x86/PacketFunctions.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace karakal;
using namespace karakal::x86;

namespace {

class PacketFunctionsTest : public testing::Test {
protected:
  PacketFunctionsTest() { freeAllBuffers(handles.data(), state); }
  uint32_t receive(const std::vector<uint8_t> &frame, uint32_t port = 0) {
    return receiveFrame(memory, frame.data(), uint32_t(frame.size()), port, 9);
  }
  uint32_t word(uint32_t handle, uint32_t index) const {
    return memory.descriptor(handle)[index];
  }

  std::vector<uint32_t> handles = std::vector<uint32_t>(target::BufferCount);
  std::vector<uint32_t> descriptors =
      std::vector<uint32_t>(target::BufferCount * target::HandleStep);
  std::vector<uint8_t> buffers = std::vector<uint8_t>(
      uint64_t(target::BufferCount) * target::BufferStride);
  PacketState state{};
  PacketMemory memory{buffers.data(), descriptors.data(), state};
};

TEST_F(PacketFunctionsTest, EachBufferIsFreeOnce) {
  EXPECT_EQ(state.freeCount, target::BufferCount);
  EXPECT_EQ(std::set<uint32_t>(handles.begin(), handles.end()).size(),
            target::BufferCount);
  // Again, with some in use.
  state.freeCount -= 5;
  freeAllBuffers(handles.data(), state);
  EXPECT_EQ(state.freeCount, target::BufferCount);
  EXPECT_EQ(handles.back(), target::HandleFirst);
}

TEST_F(PacketFunctionsTest, AShortFrameIsPaddedWithZeros) {
  uint32_t handle = receive({1, 2, 3}, 2);
  ASSERT_EQ(handle, target::HandleFirst);
  EXPECT_EQ(word(handle, target::DescriptorHeadLength),
            target::BufferHeadroom << 16 | target::FrameBytesMin);
  EXPECT_EQ(word(handle, target::DescriptorPorts), 2u << 24);
  EXPECT_EQ(word(handle, target::DescriptorSequence), 9u);
  EXPECT_EQ(word(handle, target::DescriptorLink), LinkReceived);
  const uint8_t *bytes = memory.bufferOf(handle) + target::BufferHeadroom;
  EXPECT_EQ(bytes[2], 3);
  EXPECT_EQ(bytes[3], 0);
}

TEST_F(PacketFunctionsTest, OldBytesOfABufferAreNotPadding) {
  uint32_t first = receive(std::vector<uint8_t>(60, 0xff));
  freeBuffer(state, first);
  ASSERT_EQ(receive({1}), first);
  const uint8_t *bytes = memory.bufferOf(first) + target::BufferHeadroom;
  for (uint32_t i = 1; i < target::FrameBytesMin; ++i)
    EXPECT_EQ(bytes[i], 0) << i;
}

TEST_F(PacketFunctionsTest, WithoutABufferNothingIsReceived) {
  state.freeCount = 1;
  EXPECT_NE(receive({1}), 0u);
  EXPECT_EQ(receive({1}), 0u);
}

TEST_F(PacketFunctionsTest, PacketsThatWaitKeepTheirBuffers) {
  uint32_t waits = receive({1}), made = receive({2}), ends = receive({3});
  memory.descriptor(waits)[target::DescriptorLink] |= LinkWaits;
  memory.descriptor(made)[target::DescriptorLink] = LinkWaits;
  EXPECT_EQ(freeAllButWaiting(memory), 1u) << "the other one was not received";
  EXPECT_EQ(state.freeCount, target::BufferCount - 2);
  std::set<uint32_t> free(handles.begin(), handles.begin() + state.freeCount);
  EXPECT_EQ(free.count(waits) + free.count(made), 0u);
  EXPECT_EQ(free.count(ends), 1u);
}

TEST(Timestamp, TicksOfWholeAndPartialSeconds) {
  // 600 MHz and 16 cycles a tick: 37.5 ticks a microsecond.
  ASSERT_EQ(target::TimestampTickCycles, 16u);
  EXPECT_EQ(timestampAt(0, 600'000'000), 0u);
  EXPECT_EQ(timestampAt(1'000, 600'000'000), 37u);
  EXPECT_EQ(timestampAt(2'000'001'000, 600'000'000), 75'000'037u);
  // It goes round after 2^32 ticks.
  EXPECT_EQ(timestampAt(115'000'000'000, 600'000'000), uint32_t(4'312'500'000));
}

TEST(NextRandom, IsTheXorshiftGenerator) {
  // By hand: 1 ^ 1 << 13 = 0x2001; ^ 0; ^ 0x2001 << 5 = 0x42021.
  EXPECT_EQ(nextRandom(1), 0x42021u);
}

} // namespace
