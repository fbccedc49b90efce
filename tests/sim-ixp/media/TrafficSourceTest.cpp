// Which frame of a trace a port receives next, and when it is due.

#include "sim-ixp/media/TrafficSource.h"
#include "sim-ixp/media/FrameCheck.h"
#include "target-ixp/chip/ChipParameters.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::sim;

namespace {

traces::Packet packet(uint32_t port, size_t size, uint64_t timeNs) {
  traces::Packet made;
  made.port = port;
  made.bytes.assign(size, static_cast<uint8_t>(size));
  made.timeNs = timeNs;
  return made;
}

/// 60 bytes on port 0, 100 on port 5, which is port 1 of four, and 10 on port
/// 0, which are padded: 64, 104 and 64 bytes with their check sequence.
std::vector<traces::Packet> threePackets() {
  return {packet(0, 60, 100), packet(5, 100, 300), packet(0, 10, 700)};
}

/// The numbers of the frames that a port receives.
std::vector<uint64_t> numbers(TrafficSource &source, uint32_t port) {
  std::vector<uint64_t> found;
  while (const OfferedFrame *frame = source.peek(port)) {
    found.push_back(frame->number);
    source.take(port);
  }
  return found;
}

/// When frame `number` is due, in ns.
double dueNs(const TrafficOptions &options, uint64_t number) {
  TrafficSource source(threePackets(), options);
  for (uint32_t port : {0, 1})
    while (const OfferedFrame *frame = source.peek(port)) {
      if (frame->number == number)
        return frame->dueSeconds * 1e9;
      source.take(port);
    }
  return -1;
}

} // namespace

TEST(TrafficSourceTest, APortTakesItsOwnFramesInTurn) {
  TrafficSource source(threePackets(), {});
  const OfferedFrame *first = source.peek(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(source.peek(0), first) << "nothing changes until it is taken";
  EXPECT_EQ(first->number, 0u);
  EXPECT_EQ(first->port, 0u);
  EXPECT_EQ(first->wireBytes, 64u);
  EXPECT_EQ(first->bytes->size(), 60u);
  EXPECT_EQ(first->dueSeconds, 0);
  EXPECT_FALSE(first->hasError);
  source.take(0);
  const OfferedFrame *last = source.peek(0);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->number, 2u);
  EXPECT_EQ(last->wireBytes, 64u);
  EXPECT_EQ(last->bytes->size(), 60u);
  EXPECT_EQ(last->bytes->at(9), 10u);
  EXPECT_EQ(last->bytes->at(10), 0u);
  source.take(0);
  EXPECT_FALSE(source.peek(0));
  ASSERT_TRUE(source.peek(1));
  EXPECT_EQ(source.peek(1)->number, 1u);
  EXPECT_EQ(source.peek(1)->port, 1u);
  EXPECT_EQ(source.peek(1)->wireBytes, 104u);
  EXPECT_FALSE(source.peek(2)) << "a port without frames";
}

TEST(TrafficSourceTest, ATraceIsCutOrRepeated) {
  using Numbers = std::vector<uint64_t>;
  for (auto [count, first, second] :
       {std::tuple(0u, Numbers{0, 2}, Numbers{1}),
        std::tuple(1u, Numbers{0}, Numbers{}),
        std::tuple(2u, Numbers{0}, Numbers{1}),
        std::tuple(3u, Numbers{0, 2}, Numbers{1}),
        std::tuple(5u, Numbers{0, 2, 3}, Numbers{1, 4}),
        std::tuple(7u, Numbers{0, 2, 3, 5, 6}, Numbers{1, 4})}) {
    TrafficOptions options;
    options.packetCount = count;
    TrafficSource source(threePackets(), options);
    EXPECT_EQ(source.packetCount(), count ? count : 3);
    EXPECT_EQ(numbers(source, 0), first) << count;
    EXPECT_EQ(numbers(source, 1), second) << count;
  }
}

TEST(TrafficSourceTest, PortsOfTheTraceAreTakenModuloThoseOfTheChip) {
  TrafficOptions options;
  options.portCount = 2;
  TrafficSource two({packet(3, 60, 0), packet(2, 60, 0)}, options);
  EXPECT_EQ(numbers(two, 0), std::vector<uint64_t>{1});
  EXPECT_EQ(numbers(two, 1), std::vector<uint64_t>{0});
  EXPECT_EQ(two.portCount(), 2u);
}

TEST(TrafficSourceTest, ARateGivesTheTimeOfTheBitsBefore) {
  TrafficOptions options;
  options.offeredGbps = 2;
  options.packetCount = 6;
  EXPECT_FALSE(TrafficSource(threePackets(), options).isClosedLoop());
  EXPECT_TRUE(TrafficSource(threePackets(), {}).isClosedLoop());
  // 64, 104 and 64 bytes at half a nanosecond a bit.
  const double expected[] = {0, 256, 672, 928, 928 + 256, 928 + 672};
  for (uint64_t number = 0; number < 6; ++number)
    EXPECT_NEAR(dueNs(options, number), expected[number], 1e-6) << number;
}

TEST(TrafficSourceTest, TimesOfATraceCountFromItsFirstPacket) {
  TrafficOptions options;
  options.keepsTimes = true;
  options.packetCount = 8;
  EXPECT_FALSE(TrafficSource(threePackets(), options).isClosedLoop());
  // Two gaps of 300 ns on average; a repetition follows after one more.
  const double expected[] = {0, 200, 600, 900, 1100, 1500, 1800, 2000};
  for (uint64_t number = 0; number < 8; ++number)
    EXPECT_NEAR(dueNs(options, number), expected[number], 1e-6) << number;
  // A packet before the first one is due at once, and one alone has no gap.
  TrafficSource early({packet(0, 60, 500), packet(1, 60, 400)}, options);
  EXPECT_EQ(early.peek(1)->dueSeconds, 0);
  TrafficSource alone({packet(0, 60, 500)}, options);
  alone.peek(0);
  alone.take(0);
  EXPECT_EQ(alone.peek(0)->dueSeconds, 0);
}

TEST(TrafficSourceTest, AFrameMayCarryItsCheckSequence) {
  TrafficOptions options;
  options.fcsPorts = 0b10;
  TrafficSource source(threePackets(), options);
  EXPECT_EQ(source.peek(0)->bytes->size(), 60u);
  EXPECT_EQ(source.peek(0)->wireBytes, 64u);
  const OfferedFrame *checked = source.peek(1);
  ASSERT_EQ(checked->bytes->size(), 104u);
  EXPECT_EQ(checked->wireBytes, 104u);
  uint8_t sequence[4];
  storeFrameCheckSequence(checked->bytes->data(), 100, sequence);
  EXPECT_EQ(std::memcmp(sequence, checked->bytes->data() + 100, 4), 0);
}

TEST(TrafficSourceTest, TheCheckSequenceIsThatOfEthernet) {
  // The check value of CRC-32, least significant byte first.
  uint8_t sequence[4];
  storeFrameCheckSequence(reinterpret_cast<const uint8_t *>("123456789"), 9,
                          sequence);
  const uint8_t expected[] = {0x26, 0x39, 0xf4, 0xcb};
  EXPECT_EQ(std::memcmp(sequence, expected, 4), 0);
}

TEST(TrafficSourceTest, SomeFramesHaveErrors) {
  TrafficOptions options;
  options.hasError = [](uint64_t number) { return number == 2; };
  TrafficSource source(threePackets(), options);
  EXPECT_FALSE(source.peek(0)->hasError);
  EXPECT_FALSE(source.peek(1)->hasError);
  source.take(0);
  EXPECT_TRUE(source.peek(0)->hasError);
}

TEST(TrafficSourceTest, CyclesOnTheWireAndOnTheMediaBus) {
  target::ChipParameters chip;
  // 1 Gbit/s at 600 MHz; 32 bits at 125 MHz and a cycle to select the port.
  EXPECT_DOUBLE_EQ(wireCycles(84, chip), 403.2);
  EXPECT_EQ(mediaBusCycles(60, chip), 77u);
  EXPECT_EQ(mediaBusCycles(61, chip), 82u);
  EXPECT_EQ(mediaBusCycles(64, chip), 82u);
  EXPECT_EQ(mediaBusCycles(65, chip), 87u);
}
