// Pcap and pcapng out.

#include "traces/TraceWriter.h"
#include "tests/traces/TraceBytes.h"
#include "traces/TraceReader.h"

#include <gmock/gmock.h>

#include <filesystem>

using namespace karakal;
using namespace karakal::traces;
using namespace karakal::traces::test;

namespace {

std::vector<Packet> somePackets() {
  std::vector<Packet> packets;
  for (unsigned index = 0; index < 9; ++index)
    packets.push_back({1000000007ull * index, (index * 5) % 4,
                       std::vector<uint8_t>(index, index)});
  return packets;
}

TEST(TraceWriter, pcapngKeepsTimePortAndBytes) {
  TemporaryFile file("", ".pcapng");
  const std::vector<Packet> packets = somePackets();
  Status status = writeTrace(file.path, packets, 4);
  ASSERT_TRUE(status) << status.error().str();
  auto back = readTrace(file.path, 4);
  ASSERT_TRUE(back) << back.error().str();
  ASSERT_EQ(back->size(), packets.size());
  for (std::size_t index = 0; index < packets.size(); ++index) {
    EXPECT_EQ((*back)[index].timeNs, packets[index].timeNs);
    EXPECT_EQ((*back)[index].port, packets[index].port);
    EXPECT_EQ((*back)[index].bytes, packets[index].bytes);
  }
}

TEST(TraceWriter, pcapKeepsTimeAndBytes) {
  TemporaryFile file;
  const std::vector<Packet> packets = somePackets();
  ASSERT_TRUE(writeTrace(file.path, packets, 4));
  auto back = readTrace(file.path, 3);
  ASSERT_TRUE(back) << back.error().str();
  ASSERT_EQ(back->size(), packets.size());
  for (std::size_t index = 0; index < packets.size(); ++index) {
    EXPECT_EQ((*back)[index].timeNs, packets[index].timeNs);
    EXPECT_EQ((*back)[index].port, index % 3);
    EXPECT_EQ((*back)[index].bytes, packets[index].bytes);
  }
}

TEST(TraceWriter, compressesWhatEndsInGz) {
  const std::vector<Packet> packets(1000, Packet{5, 2, {1, 2, 3}});
  for (const char *ending : {".pcap", ".pcapng"}) {
    TemporaryFile plain("", ending), small("", std::string(ending) + ".gz");
    TemporaryFile again("", std::string(ending) + ".gz");
    ASSERT_TRUE(writeTrace(plain.path, packets, 4));
    ASSERT_TRUE(writeTrace(small.path, packets, 4));
    ASSERT_TRUE(writeTrace(again.path, packets, 4));
    EXPECT_LT(std::filesystem::file_size(small.path) * 10,
              std::filesystem::file_size(plain.path));
    EXPECT_EQ(small.read(), again.read());
    auto expected = readTrace(plain.path, 4), back = readTrace(small.path, 4);
    ASSERT_TRUE(expected && back);
    ASSERT_EQ(back->size(), packets.size());
    EXPECT_EQ(back->back().port, expected->back().port);
    EXPECT_EQ(back->back().bytes, packets.back().bytes);
  }
}

TEST(TraceWriter, writesTheBytesThatTheFormatSays) {
  TemporaryFile file;
  ASSERT_TRUE(writeTrace(file.path, {{3000000004ull, 0, {0xab}}}, 1));
  Bytes expected;
  expected.word(0xa1b23c4d).half(2).half(4).word(0).word(0).word(262144);
  expected.word(1);
  pcapPacket(expected, 3, 4, "\xab");
  EXPECT_EQ(file.read(), expected.bytes);
}

TEST(TraceWriter, leavesNothingWhenAbandoned) {
  TemporaryFile file("what was there");
  {
    auto writer = TraceWriter::create(file.path, 4);
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->write({0, 0, {1, 2, 3}}));
  }
  EXPECT_EQ(file.read(), "what was there");
  EXPECT_FALSE(std::filesystem::exists(file.path + ".part"));
}

TEST(TraceWriter, writesToDevices) {
  Status status = writeTrace("/dev/null", somePackets(), 4);
  EXPECT_TRUE(status) << status.error().str();
  EXPECT_TRUE(std::filesystem::exists("/dev/null"));
}

TEST(TraceWriter, saysWhatCannotBeWritten) {
  for (const char *path : {"/nonexistent/o.pcap", "/tmp"}) {
    Status status = writeTrace(path, somePackets(), 4);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().id, "E-traces-008");
  }
  if (std::filesystem::exists("/dev/full")) {
    Status status = writeTrace("/dev/full", somePackets(), 4);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().id, "E-traces-008");
  }
}

TEST(TraceWriter, AFullDeviceIsNoticedAtTheFrameThatFillsTheBuffer) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "there is no /dev/full";
  auto writer = TraceWriter::create("/dev/full", 1);
  ASSERT_TRUE(writer);
  EXPECT_TRUE((*writer)->write({0, 0, std::vector<uint8_t>(100)}));
  Status status = (*writer)->write({0, 0, std::vector<uint8_t>(70'000)});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, "E-traces-008");
}

} // namespace
