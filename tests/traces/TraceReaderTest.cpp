// Pcap and pcapng in.

#include "traces/TraceReader.h"
#include "tests/traces/TraceBytes.h"
#include "traces/Wire.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::traces;
using namespace karakal::traces::test;
using ::testing::HasSubstr;

namespace {

std::string frame(unsigned number, std::size_t bytes = 60) {
  return std::string(bytes, static_cast<char>(number));
}

Result<std::vector<Packet>> readBytes(const std::string &bytes,
                                      uint32_t ports = 4) {
  TemporaryFile file(bytes);
  return readTrace(file.path, ports);
}

void expectError(const Result<std::vector<Packet>> &result,
                 const std::string &id, const std::string &message) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, id);
  EXPECT_THAT(result.error().message, HasSubstr(message));
  EXPECT_FALSE(result.error().file.empty());
}

TEST(TraceReader, readsPcapAndDealsFramesToPorts) {
  Bytes file = pcapHeader();
  for (unsigned index = 0; index < 5; ++index)
    pcapPacket(file, 7, index, frame(index, 60 + index));
  auto packets = readBytes(file.bytes);
  ASSERT_TRUE(packets) << packets.error().str();
  ASSERT_EQ(packets->size(), 5u);
  for (unsigned index = 0; index < 5; ++index) {
    EXPECT_EQ((*packets)[index].port, index % 4);
    EXPECT_EQ((*packets)[index].timeNs, 7000000000u + 1000u * index);
    EXPECT_EQ((*packets)[index].bytes, std::vector<uint8_t>(60 + index, index));
  }
}

TEST(TraceReader, readsBigEndianAndNanosecondPcap) {
  Bytes big = pcapHeader(1, true);
  pcapPacket(big, 1, 2, frame(3));
  auto packets = readBytes(big.bytes);
  ASSERT_TRUE(packets) << packets.error().str();
  EXPECT_EQ((*packets)[0].timeNs, 1000002000u);

  Bytes nano = pcapHeader(1, false, 0xa1b23c4d);
  pcapPacket(nano, 1, 2, frame(3));
  packets = readBytes(nano.bytes);
  ASSERT_TRUE(packets) << packets.error().str();
  EXPECT_EQ((*packets)[0].timeNs, 1000000002u);
}

TEST(TraceReader, takesThePortFromThePcapngInterface) {
  for (bool bigEndian : {false, true}) {
    Bytes file(bigEndian);
    section(file);
    for (unsigned port = 0; port < 6; ++port)
      interface(file);
    for (unsigned port : {5u, 3u, 3u, 0u})
      enhanced(file, port, 1, frame(port, 61));
    auto packets = readBytes(file.bytes);
    ASSERT_TRUE(packets) << packets.error().str();
    ASSERT_EQ(packets->size(), 4u);
    EXPECT_EQ((*packets)[0].port, 5u % 4);
    EXPECT_EQ((*packets)[1].port, 3u);
    EXPECT_EQ((*packets)[2].port, 3u);
    EXPECT_EQ((*packets)[3].port, 0u);
    EXPECT_EQ((*packets)[0].bytes, std::vector<uint8_t>(61, 5));
    EXPECT_EQ((*packets)[0].timeNs, 1000u);
  }
}

TEST(TraceReader, dealsFramesOfASinglePcapngInterface) {
  Bytes file;
  interface(section(file));
  for (unsigned index = 0; index < 3; ++index)
    enhanced(file, 0, 0, frame(index));
  auto packets = readBytes(file.bytes, 2);
  ASSERT_TRUE(packets) << packets.error().str();
  EXPECT_EQ((*packets)[1].port, 1u);
  EXPECT_EQ((*packets)[2].port, 0u);
}

TEST(TraceReader, followsTimeResolutionAndOffset) {
  for (bool bigEndian : {false, true}) {
    Bytes options(bigEndian);
    options.half(9).half(1).raw(std::string("\x03\0\0\0", 4));
    options.half(14).half(8);
    if (bigEndian)
      options.word(0).word(2);
    else
      options.word(2).word(0);
    options.word(0);
    Bytes binary(bigEndian);
    binary.half(9).half(1).raw(std::string("\x8a\0\0\0", 4)); // 2^-10 s
    Bytes picoseconds(bigEndian);
    picoseconds.half(9).half(1).raw(std::string("\x0c\0\0\0", 4));

    Bytes file(bigEndian);
    section(file);
    interface(file, 1, options.bytes);
    interface(file, 1, binary.bytes);
    interface(file, 1, picoseconds.bytes);
    enhanced(file, 0, 5, frame(0));
    enhanced(file, 1, 512, frame(1));
    enhanced(file, 2, 7000, frame(2));
    auto packets = readBytes(file.bytes);
    ASSERT_TRUE(packets) << packets.error().str();
    EXPECT_EQ((*packets)[0].timeNs, 2005000000u);
    EXPECT_EQ((*packets)[1].timeNs, 500000000u);
    EXPECT_EQ((*packets)[2].timeNs, 7u);
  }
}

TEST(TraceReader, readsSimpleAndObsoletePacketsAndSkipsOtherBlocks) {
  Bytes file;
  interface(section(file));
  block(file, 0x0bad, "what nobody knows");
  block(file, 3, Bytes().word(62).raw(frame(1, 62)).bytes);
  Bytes obsolete;
  obsolete.half(0).half(0).word(0).word(9).word(60).word(1500);
  block(file, 2, obsolete.raw(frame(2)).bytes);
  auto packets = readBytes(file.bytes);
  ASSERT_TRUE(packets) << packets.error().str();
  ASSERT_EQ(packets->size(), 2u);
  EXPECT_EQ((*packets)[0].bytes, std::vector<uint8_t>(62, 1));
  EXPECT_EQ((*packets)[1].bytes, std::vector<uint8_t>(60, 2));
  EXPECT_EQ((*packets)[1].timeNs, 9000u);
}

TEST(TraceReader, changesByteOrderWithTheSection) {
  Bytes little(false), big(true);
  enhanced(interface(section(little)), 0, 0, frame(1));
  enhanced(interface(section(big)), 0, 0, frame(2));
  auto packets = readBytes(little.bytes + big.bytes);
  ASSERT_TRUE(packets) << packets.error().str();
  EXPECT_EQ(packets->size(), 2u);
}

TEST(TraceReader, refusesWhatIsNotThere) {
  expectError(readTrace("/nonexistent/t.pcap", 4), "E-traces-001",
              "No such file");
  expectError(readTrace("/tmp", 4), "E-traces-001", "directory");
}

TEST(TraceReader, refusesEmptyTraces) {
  expectError(readBytes(""), "E-traces-002", "empty");
  expectError(readBytes(pcapHeader().bytes), "E-traces-002", "no packet");
  Bytes file;
  expectError(readBytes(interface(section(file)).bytes), "E-traces-002",
              "no packet");
}

TEST(TraceReader, refusesEveryCutOfAPcapFile) {
  Bytes file = pcapHeader();
  pcapPacket(file, 0, 0, frame(1));
  const std::size_t first = file.bytes.size();
  pcapPacket(file, 0, 0, frame(2));
  for (std::size_t size = 4; size < file.bytes.size(); ++size) {
    if (size == 24 || size == first)
      continue;
    expectError(readBytes(file.bytes.substr(0, size)), "E-traces-003",
                size > first ? "after 1 packets" : "after 0 packets");
  }
}

TEST(TraceReader, refusesEveryCutOfAPcapngFile) {
  Bytes file;
  enhanced(interface(section(file)), 0, 0, frame(1));
  const std::size_t first = file.bytes.size();
  enhanced(file, 0, 0, frame(2, 61));
  for (std::size_t size = first + 1; size < file.bytes.size(); ++size)
    expectError(readBytes(file.bytes.substr(0, size)), "E-traces-003",
                "after 1 packets");
}

TEST(TraceReader, namesOtherLinkTypes) {
  Bytes ppp = pcapHeader(9);
  pcapPacket(ppp, 0, 0, frame(1));
  expectError(readBytes(ppp.bytes), "E-traces-004", "9 (PPP)");
  Bytes raw = pcapHeader(101, true);
  pcapPacket(raw, 0, 0, frame(1));
  expectError(readBytes(raw.bytes), "E-traces-004", "101 (RAW)");
  Bytes file;
  enhanced(interface(section(file), 113), 0, 0, frame(1));
  expectError(readBytes(file.bytes), "E-traces-004", "113 (LINUX_SLL)");
  Bytes unknown = pcapHeader(60000);
  expectError(readBytes(unknown.bytes), "E-traces-004", "60000 (unknown)");
}

TEST(TraceReader, refusesOtherFiles) {
  expectError(readBytes("abc"), "E-traces-005", "neither pcap nor pcapng");
  expectError(readBytes("#!/bin/sh\n"), "E-traces-005", "neither");
}

TEST(TraceReader, refusesDamagedPcapng) {
  Bytes lengths;
  section(lengths);
  lengths.word(6).word(0xfffffffd);
  expectError(readBytes(lengths.bytes + std::string(60, 0)), "E-traces-006",
              "block length");
  Bytes differ;
  section(differ);
  differ.word(5).word(16).word(0).word(12);
  expectError(readBytes(differ.bytes), "E-traces-006", "lengths");
  Bytes noInterface;
  enhanced(section(noInterface), 0, 0, frame(1));
  expectError(readBytes(noInterface.bytes), "E-traces-006", "interface 0");
  Bytes body, tooLong;
  body.word(0).word(0).word(0).word(61).word(61).raw(frame(1));
  block(interface(section(tooLong)), 6, body.bytes);
  expectError(readBytes(tooLong.bytes), "E-traces-006", "longer than");
}

TEST(TraceReader, BlocksTooShortForTheirHeaderAreDamaged) {
  auto with = [](uint32_t type, std::size_t bytes) {
    Bytes file;
    return block(interface(section(file)), type, std::string(bytes, '\0'))
        .bytes;
  };
  for (uint32_t packetBlock : {2u, 6u}) {
    expectError(readBytes(with(packetBlock, 16)), "E-traces-006", "too short");
    auto packets = readBytes(with(packetBlock, 20)); // a packet of no bytes
    ASSERT_TRUE(packets) << packets.error().str();
    EXPECT_TRUE((*packets)[0].bytes.empty());
  }
  expectError(readBytes(with(3, 0)), "E-traces-006", "too short");
  EXPECT_TRUE(readBytes(with(3, 4)));
  expectError(readBytes(with(1, 4)), "E-traces-006",
              "interface description too short");
  Bytes file;
  const std::string body = Bytes().word(0x1a2b3c4d).half(1).half(0).bytes;
  expectError(readBytes(block(file, 0x0a0d0d0a, body).bytes), "E-traces-006",
              "section header too short");
}

// No byte of a file may make the reader read outside it: run under sanitizers.
TEST(TraceReader, survivesEveryDamagedByte) {
  Bytes file;
  Bytes options;
  options.half(9).half(1).raw(std::string("\x09\0\0\0", 4)).word(0);
  interface(section(file), 1, options.bytes);
  enhanced(file, 0, 77, frame(1));
  block(file, 3, Bytes().word(60).raw(frame(2)).bytes);
  Bytes pcap = pcapHeader();
  pcapPacket(pcap, 0, 0, frame(1));
  for (const std::string &good : {file.bytes, pcap.bytes})
    for (std::size_t at = 0; at < good.size(); ++at)
      for (int value : {0x00, 0x7f, 0x80, 0xff}) {
        std::string bad = good;
        bad[at] = static_cast<char>(value);
        auto packets = readBytes(bad);
        EXPECT_TRUE(packets || !packets.error().id.empty());
      }
}

TEST(Wire, padsShortFramesAndKeepsOthers) {
  Packet packet;
  packet.bytes = {1, 2, 3};
  padToMinimum(packet);
  EXPECT_EQ(packet.bytes.size(), 60u);
  EXPECT_EQ(packet.bytes[2], 3);
  EXPECT_EQ(packet.bytes[3], 0);
  packet.bytes.resize(1522);
  padToMinimum(packet);
  EXPECT_EQ(packet.bytes.size(), 1522u);
  EXPECT_FALSE(isOversize(packet));
  packet.bytes.push_back(0);
  EXPECT_TRUE(isOversize(packet));
}

} // namespace
