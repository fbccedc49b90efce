// The packet primitives of the host.
//
// Each primitive is compared with packets whose bytes are written out here.
// Fields of every width at every bit offset are compared with a bit-by-bit
// read.

#include "host/PacketRuntime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace karakal;
using namespace karakal::host;
using testing::HasSubstr;

namespace {

/// A frame of `size` bytes 0, 1, 2, …
traces::Packet counting(size_t size, uint32_t port = 0) {
  traces::Packet frame;
  frame.port = port;
  frame.bytes.resize(size);
  std::iota(frame.bytes.begin(), frame.bytes.end(), uint8_t(0));
  return frame;
}

class PacketRuntimeTest : public testing::Test {
protected:
  PacketRuntime runtime{BufferLayout(), 4, 4};
};

/// The field of `bits` at `offset`, one bit at a time.
uint64_t bitByBit(const std::vector<uint8_t> &bytes, uint32_t offset,
                  uint32_t bits) {
  uint64_t value = 0;
  for (uint32_t i = offset; i < offset + bits; ++i)
    value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
  return value;
}

TEST_F(PacketRuntimeTest, HandlesAreTheChipsDescriptorAddresses) {
  EXPECT_EQ(runtime.receive(counting(60)), 0x4000u);
  EXPECT_EQ(runtime.receive(counting(60)), 0x4011u);
  EXPECT_EQ(runtime.buffersInUse(), 2u);
}

TEST_F(PacketRuntimeTest, ReadsFieldsOfAnEthernetHeader) {
  uint32_t h = runtime.receive(counting(64));
  EXPECT_EQ(runtime.read(h, 0, 48), 0x000102030405u);
  EXPECT_EQ(runtime.read(h, 48, 48), 0x060708090a0bu);
  EXPECT_EQ(runtime.read(h, 96, 16), 0x0c0du);
  EXPECT_EQ(runtime.read(h, 4, 8), 0x00u);
  EXPECT_EQ(runtime.read(h, 12, 8), 0x10u);
}

TEST_F(PacketRuntimeTest, ReadsEveryWidthAtEveryOffset) {
  traces::Packet frame = counting(60);
  for (uint8_t &byte : frame.bytes)
    byte = byte * 151 + 77;
  uint32_t h = runtime.receive(frame);
  for (uint32_t bits = 1; bits <= 64; ++bits)
    for (uint32_t offset = 0; offset < 80; ++offset)
      ASSERT_EQ(runtime.read(h, offset, bits),
                bitByBit(frame.bytes, offset, bits))
          << bits << " bits at " << offset;
}

TEST_F(PacketRuntimeTest, WritesEveryWidthAtEveryOffsetAndNothingElse) {
  uint64_t value = 0x9b3fd1c8a5e70246;
  for (uint32_t bits = 1; bits <= 64; ++bits)
    for (uint32_t offset = 0; offset < 24; ++offset) {
      traces::Packet frame = counting(60);
      uint32_t h = runtime.receive(frame);
      runtime.write(h, offset, bits, value);
      uint64_t low = bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
      ASSERT_EQ(runtime.read(h, offset, bits), low);
      for (uint32_t bit = 0; bit < 120; ++bit)
        if (bit < offset || bit >= offset + bits) {
          ASSERT_EQ(runtime.read(h, bit, 1), bitByBit(frame.bytes, bit, 1))
              << bits << " bits at " << offset << " changed bit " << bit;
        }
      runtime.drop(h, 0);
    }
}

TEST_F(PacketRuntimeTest, DecapAndEncapMoveTheHead) {
  uint32_t h = runtime.receive(counting(60));
  EXPECT_EQ(runtime.decap(h, 14), h);
  EXPECT_EQ(runtime.length(h), 46u);
  EXPECT_EQ(runtime.read(h, 0, 8), 14u);
  EXPECT_EQ(runtime.encap(h, 18), h);
  EXPECT_EQ(runtime.length(h), 64u);
  EXPECT_EQ(runtime.read(h, 32, 8), 0u);
  EXPECT_EQ(runtime.read(h, 40, 8), 1u);
}

TEST_F(PacketRuntimeTest, EncapAfterDecapShowsTheOldBytes) {
  uint32_t h = runtime.receive(counting(60));
  runtime.encap(runtime.decap(h, 14), 14);
  EXPECT_EQ(runtime.read(h, 96, 16), 0x0c0du);
}

TEST_F(PacketRuntimeTest, DecapBeyondTheEndIsAFault) {
  uint32_t h = runtime.receive(counting(60));
  runtime.decap(h, 61);
  EXPECT_THAT(runtime.fault(), HasSubstr("61 bytes from a packet of 60"));
}

TEST_F(PacketRuntimeTest, EncapBeyondTheHeadroomIsAFault) {
  uint32_t h = runtime.receive(counting(60));
  runtime.encap(h, 128);
  EXPECT_EQ(runtime.fault(), "");
  runtime.encap(h, 1);
  EXPECT_THAT(runtime.fault(), HasSubstr("headroom is 0"));
}

TEST_F(PacketRuntimeTest, AccessBeyondTheBufferIsAFault) {
  uint32_t h = runtime.receive(counting(60));
  runtime.read(h, (2048 - 128) * 8 - 8, 8);
  EXPECT_EQ(runtime.fault(), "");
  runtime.read(h, (2048 - 128) * 8 - 7, 8);
  EXPECT_THAT(runtime.fault(), HasSubstr("leaves the packet's buffer"));
}

TEST_F(PacketRuntimeTest, AWriteBeyondTheBufferIsAFaultAndWritesNothing) {
  uint32_t h = runtime.receive(counting(60));
  uint32_t next = runtime.receive(counting(60));
  runtime.write(h, (2048 - 128) * 8 - 8, 8, 0x5a);
  EXPECT_EQ(runtime.read(h, (2048 - 128) * 8 - 8, 8), 0x5au);
  EXPECT_EQ(runtime.fault(), "");
  // The next buffer begins with the headroom of the next packet.
  runtime.encap(next, 128);
  uint64_t before = runtime.read(next, 0, 64);
  runtime.write(h, (2048 - 128) * 8, 64, ~before);
  EXPECT_THAT(runtime.fault(), HasSubstr("leaves the packet's buffer"));
  EXPECT_EQ(runtime.read(next, 0, 64), before);
}

TEST_F(PacketRuntimeTest, MetadataAndPortsAreKeptApart) {
  uint32_t h = runtime.receive(counting(60, 3));
  EXPECT_EQ(runtime.rxPort(h), 3u);
  runtime.setTxPort(h, 2);
  runtime.metaWrite(h, 4, 0xdeadbeef);
  runtime.metaWrite(h, 15, 7);
  EXPECT_EQ(runtime.rxPort(h), 3u);
  EXPECT_EQ(runtime.txPort(h), 2u);
  EXPECT_EQ(runtime.metaRead(h, 4), 0xdeadbeefu);
  EXPECT_EQ(runtime.metaRead(h, 15), 7u);
  EXPECT_EQ(runtime.metaRead(h, 2), 0x03020000u);
}

TEST_F(PacketRuntimeTest, SequenceNumbersCountReceivedFrames) {
  runtime.receive(counting(60));
  EXPECT_EQ(runtime.receive(counting(1523)), 0u);
  uint32_t h = runtime.receive(counting(60));
  EXPECT_EQ(runtime.metaRead(h, 3), 1u);
  EXPECT_EQ(runtime.counts().oversize, 1u);
  EXPECT_EQ(runtime.counts().received, 2u);
}

TEST_F(PacketRuntimeTest, ShortFramesArePaddedWithZeros) {
  runtime.drop(runtime.receive(counting(1000)), 0);
  uint32_t h = runtime.receive(counting(10));
  EXPECT_EQ(runtime.length(h), 60u);
  EXPECT_EQ(runtime.read(h, 72, 8), 9u);
  for (uint32_t byte = 10; byte < 60; ++byte)
    EXPECT_EQ(runtime.read(h, byte * 8, 8), 0u);
}

TEST_F(PacketRuntimeTest, ACopyHasItsOwnBytesAndMetadata) {
  uint32_t h = runtime.receive(counting(60, 1));
  runtime.decap(h, 14);
  runtime.metaWrite(h, 5, 11);
  uint32_t copy = runtime.copy(h);
  ASSERT_NE(copy, h);
  EXPECT_EQ(runtime.length(copy), 46u);
  EXPECT_EQ(runtime.metaRead(copy, 5), 11u);
  EXPECT_EQ(runtime.rxPort(copy), 1u);
  runtime.write(copy, 0, 8, 0xff);
  runtime.metaWrite(copy, 5, 12);
  EXPECT_EQ(runtime.read(h, 0, 8), 14u);
  EXPECT_EQ(runtime.metaRead(h, 5), 11u);
  runtime.encap(copy, 14);
  EXPECT_EQ(runtime.read(copy, 96, 16), 0x0c0du);
}

TEST_F(PacketRuntimeTest, CopyWithoutAFreeBufferIsAFault) {
  BufferLayout layout;
  layout.count = 1;
  PacketRuntime small(layout, 4, 2);
  small.copy(small.receive(counting(60)));
  EXPECT_THAT(small.fault(), HasSubstr("no free buffer"));
}

TEST_F(PacketRuntimeTest, ReceivedIsForwardedDroppedAndConsumed) {
  uint32_t sent = runtime.receive(counting(60));
  uint32_t copy = runtime.copy(sent);
  runtime.setTxPort(copy, 2);
  runtime.channelPut(1, sent);
  runtime.channelPut(1, copy);
  runtime.drop(runtime.receive(counting(60)), 2);
  uint32_t consumed = runtime.receive(counting(60));
  runtime.setOnXScale(true);
  runtime.drop(runtime.copy(consumed), 0);
  runtime.drop(consumed, 0);
  const PacketCounts &counts = runtime.counts();
  EXPECT_EQ(counts.received, 3u);
  EXPECT_EQ(counts.forwarded, 1u);
  EXPECT_EQ(counts.dropped, 1u);
  EXPECT_EQ(counts.consumed, 1u);
  EXPECT_EQ(counts.copied, 2u);
  EXPECT_EQ(counts.transmitted, 2u);
  EXPECT_THAT(runtime.drops(), testing::ElementsAre(2, 0, 1, 0));
  EXPECT_EQ(runtime.buffersInUse(), 0u);
  EXPECT_EQ(runtime.fault(), "");
}

TEST_F(PacketRuntimeTest, ACreatedPacketIsNoReceivedOne) {
  // Its buffer was that of a received packet.
  runtime.drop(runtime.receive(counting(60)), 1);
  uint32_t made = runtime.create(20);
  EXPECT_EQ(runtime.length(made), 20u);
  EXPECT_EQ(runtime.read(made, 72, 8), 0u) << "old bytes";
  EXPECT_EQ(runtime.rxPort(made), 0u);
  runtime.drop(made, 1);
  EXPECT_EQ(runtime.counts().received, 1u);
  EXPECT_EQ(runtime.counts().dropped, 1u);
  EXPECT_EQ(runtime.counts().copied, 1u);
  EXPECT_THAT(runtime.drops(), testing::ElementsAre(0, 2, 0, 0));
}

TEST_F(PacketRuntimeTest, ATransmittedFrameHasItsBytesAndPort) {
  traces::Packet frame = counting(70);
  frame.timeNs = 5;
  uint32_t h = runtime.receive(frame);
  runtime.setTxPort(h, 3);
  runtime.decap(h, 4);
  runtime.channelPut(1, h);
  ASSERT_EQ(runtime.transmitted().size(), 1u);
  const traces::Packet &sent = runtime.transmitted()[0];
  EXPECT_EQ(sent.port, 3u);
  EXPECT_EQ(sent.timeNs, 5u);
  EXPECT_EQ(sent.bytes.size(), 66u);
  EXPECT_EQ(sent.bytes[0], 4u);
}

TEST_F(PacketRuntimeTest, ATransmittedFrameIsPaddedToTheMinimum) {
  uint32_t h = runtime.receive(counting(60));
  runtime.decap(h, 50);
  runtime.channelPut(1, h);
  const traces::Packet &sent = runtime.transmitted()[0];
  ASSERT_EQ(sent.bytes.size(), 60u);
  EXPECT_EQ(sent.bytes[9], 59u);
  EXPECT_EQ(sent.bytes[10], 0u);
}

TEST_F(PacketRuntimeTest, AnEmptyPacketIsCountedButNotSent) {
  uint32_t h = runtime.receive(counting(60));
  runtime.decap(h, 60);
  runtime.channelPut(1, h);
  EXPECT_TRUE(runtime.transmitted().empty());
  EXPECT_EQ(runtime.counts().forwarded, 1u);
  EXPECT_EQ(runtime.counts().transmitted, 0u);
  EXPECT_EQ(runtime.buffersInUse(), 0u);
}

TEST_F(PacketRuntimeTest, APacketForAPortThatIsNotThereIsDropped) {
  uint32_t h = runtime.receive(counting(60));
  runtime.setTxPort(h, 6);
  runtime.channelPut(1, h);
  EXPECT_TRUE(runtime.transmitted().empty());
  EXPECT_EQ(runtime.counts().dropped, 1u);
}

TEST_F(PacketRuntimeTest, AStaleHandleIsAFault) {
  uint32_t h = runtime.receive(counting(60));
  runtime.drop(h, 0);
  runtime.drop(h, 0);
  EXPECT_THAT(runtime.fault(), HasSubstr("holds no packet"));
  EXPECT_EQ(runtime.counts().dropped, 1u);
}

TEST_F(PacketRuntimeTest, AWriteToAStaleHandleIsAFault) {
  uint32_t h = runtime.receive(counting(60));
  runtime.drop(h, 0);
  runtime.write(h, 0, 8, 1);
  EXPECT_THAT(runtime.fault(), HasSubstr("holds no packet"));
}

TEST_F(PacketRuntimeTest, OtherRingsQueueInOrder) {
  EXPECT_EQ(runtime.nextMessage(), 0u);
  runtime.channelPut(4, 0x01004000);
  runtime.channelPut(5, 0x02004010);
  EXPECT_EQ(runtime.nextMessage(), 0x01004000u);
  EXPECT_EQ(runtime.nextMessage(), 0x02004010u);
  EXPECT_EQ(runtime.nextMessage(), 0u);
}

} // namespace
