// Flows: their hash, and their order on several cores.

#include "FakeProgram.h"
#include "switch/FlowHash.h"
#include "switch/Handoff.h"
#include "switch/Switch.h"
#include <gmock/gmock.h>
#include <map>

using namespace karakal;
using namespace karakal::sw;

namespace {

using Bytes = std::vector<uint8_t>;

/// An IPv4 UDP frame.
Bytes udp(uint8_t from, uint8_t to, uint8_t fromPort, uint8_t toPort,
          uint8_t number = 0) {
  Bytes frame(60);
  frame[12] = 8;
  frame[14] = 0x45;
  frame[23] = 17;
  frame[29] = from;
  frame[33] = to;
  frame[35] = fromPort;
  frame[37] = toPort;
  frame[50] = number;
  return frame;
}

uint32_t hashOf(const Bytes &bytes) {
  return flowHash({bytes.data(), uint32_t(bytes.size()), 0});
}

} // namespace

TEST(FlowHash, BothDirectionsOfAFlowAreOne) {
  EXPECT_EQ(hashOf(udp(1, 2, 3, 4)), hashOf(udp(2, 1, 4, 3)));
  EXPECT_EQ(hashOf(udp(1, 2, 3, 4, 5)), hashOf(udp(1, 2, 3, 4, 6)));
  EXPECT_NE(hashOf(udp(1, 2, 3, 4)), hashOf(udp(1, 2, 3, 5)));
  EXPECT_NE(hashOf(udp(1, 2, 3, 4)), hashOf(udp(1, 3, 3, 4)));
}

TEST(FlowHash, ATagDoesNotMatter) {
  Bytes plain = udp(1, 2, 3, 4), tagged = plain;
  tagged.insert(tagged.begin() + 12, {0x81, 0x00, 0x00, 0x07});
  EXPECT_EQ(hashOf(plain), hashOf(tagged));
}

TEST(FlowHash, FragmentsOfAPacketStayTogether) {
  Bytes first = udp(1, 2, 3, 4), second = udp(1, 2, 90, 91);
  first[20] = 0x20;
  second[21] = 3;
  EXPECT_EQ(hashOf(first), hashOf(second));
}

TEST(FlowHash, AnyLengthIsFine) {
  for (Bytes frame : {udp(1, 2, 3, 4), Bytes(60, 0x81), Bytes(60, 0x86)})
    for (size_t bytes = 0; bytes <= frame.size(); ++bytes) {
      Bytes cut(frame.begin(), frame.begin() + bytes);
      EXPECT_EQ(hashOf(cut), hashOf(cut));
    }
}

TEST(FlowHash, SpreadsFlowsOverTwoCores) {
  int high = 0;
  for (uint8_t i = 0; i < 200; ++i)
    high += hashOf(udp(1, 2, i, 4)) >> 31;
  EXPECT_GT(high, 60);
  EXPECT_LT(high, 140);
}

TEST(Handoff, KeepsOrderAndTellsItsRoom) {
  Handoff ring;
  Bytes bytes(60);
  for (uint32_t i = 0; i < Handoff::SlotCount; ++i) {
    bytes[0] = uint8_t(i);
    ring.give({bytes.data(), 60, i}, /*bytesStay=*/false);
  }
  EXPECT_EQ(ring.room(), 0u);
  Frame frames[64];
  ASSERT_EQ(ring.take(frames, 64), 64u);
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(frames[i].port, i);
    EXPECT_EQ(frames[i].data[0], uint8_t(i));
  }
  ring.done(64);
  EXPECT_EQ(ring.room(), 64u);
  EXPECT_FALSE(ring.isEmpty());
}

TEST(Switch, TwoCoresKeepTheOrderOfEachFlow) {
  FakeProgram program(2);
  Ports ports;
  MemoryPort *memory[2];
  for (MemoryPort *&port : memory) {
    auto made = std::make_unique<MemoryPort>(2);
    port = made.get();
    ports.push_back(std::move(made));
  }
  Switch served(program, ports, CoreOptions());
  served.start([] {});
  constexpr uint8_t flows = 40, each = 100;
  for (uint8_t n = 0; n < each; ++n)
    for (uint8_t flow = 0; flow < flows; ++flow)
      memory[0]->put(udp(1, 2, flow, 4, n));
  served.stop();
  std::map<uint8_t, uint8_t> next;
  for (const Bytes &frame : memory[1]->taken())
    EXPECT_EQ(frame[50], next[frame[35]]++);
  EXPECT_EQ(next.size(), flows);
  Snapshot now = served.snapshot();
  EXPECT_EQ(now.total().packets.received, uint64_t(flows) * each);
  EXPECT_EQ(now.cores[1].own.handed, now.cores[1].packets.received);
  EXPECT_GT(now.cores[0].packets.received, 0u);
  EXPECT_GT(now.cores[1].packets.received, 0u);
}
