// The packets of a program at full speed.

#include "host/FastPackets.h"
#include "codegen-x86/PacketFunctions.h"
#include "host/Services.h"
#include <array>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::host;

namespace {

class FastPacketsTest : public ::testing::Test {
protected:
  FastPacketsTest() {
    for (auto [name, address] : packets.symbols())
      if (std::string_view(name) == x86::PacketSymbols::Descriptors)
        descriptors = static_cast<uint32_t *>(address);
      else if (std::string_view(name) == x86::PacketSymbols::State)
        state = static_cast<x86::PacketState *>(address);
  }
  uint32_t receive() {
    return packets.receive({frame.data(), uint32_t(frame.size()), 0});
  }
  /// The word of a packet that compiled code marks while it waits.
  uint32_t &linkOf(uint32_t handle) {
    return descriptors[handle - target::HandleFirst + target::DescriptorLink];
  }
  void keep(uint32_t handle) {
    linkOf(handle) |= x86::LinkWaits;
    ++state->waiting;
  }

  std::array<uint8_t, 60> frame{};
  FastPackets packets{target::PortCount, 1};
  uint32_t *descriptors = nullptr;
  x86::PacketState *state = nullptr;
};

} // namespace

TEST_F(FastPacketsTest, AFaultEndsAllPacketsButThoseInQueues) {
  uint32_t first = receive(), second = receive();
  keep(second);
  receive();
  packets.setFault(x86::PacketFault::Decap, 20, 14);
  EXPECT_FALSE(packets.fault().empty());
  EXPECT_EQ(packets.recover(), 2u);
  EXPECT_EQ(packets.buffersInUse(), 1u);
  EXPECT_TRUE(packets.fault().empty());
  EXPECT_EQ(linkOf(second), x86::LinkReceived | x86::LinkWaits);
  // Its buffer is the only one that no other packet gets.
  bool isFirstAgain = false;
  for (uint32_t i = 1; i < target::BufferCount; ++i) {
    uint32_t handle = receive();
    ASSERT_NE(handle, 0u);
    ASSERT_NE(handle, second);
    isFirstAgain |= handle == first;
  }
  EXPECT_TRUE(isFirstAgain);
  EXPECT_EQ(receive(), 0u);
}

TEST_F(FastPacketsTest, ACopyInAQueueIsNoLostFrame) {
  uint32_t copy = receive();
  linkOf(copy) = 0;
  keep(copy);
  ++state->dropped; // the original
  EXPECT_EQ(packets.recover(), 0u);
  EXPECT_EQ(packets.buffersInUse(), 1u);
}

TEST_F(FastPacketsTest, EachPacketOfABurstHasItsTime) {
  std::vector<traces::Packet> trace(4);
  for (size_t i = 0; i < trace.size(); ++i) {
    trace[i].bytes.assign(60, 0);
    trace[i].timeNs = 100 + i;
  }
  FrameStore store(trace);
  packets.beginBurst(&store[2]);
  packets.setCurrent(1);
  EXPECT_EQ(packets.nowNs(), 103u);
  packets.setTimerTime(7);
  EXPECT_EQ(packets.nowNs(), 7u);
  packets.setTimerTime(std::nullopt);
  packets.beginBurst(&store[0]);
  EXPECT_EQ(packets.nowNs(), 101u);
}

TEST(ServiceState, RandomNumbersBeginAfterOne) {
  ServiceState state;
  EXPECT_EQ(state.random(), x86::nextRandom(1));
  EXPECT_EQ(state.random(), x86::nextRandom(x86::nextRandom(1)));
  EXPECT_NE(state.lastRandom, 0u) << "of which no other follows";
}
