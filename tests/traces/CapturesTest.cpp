// Real captures, damaged frames among them.
//
// Every capture of the test data is read whole or refused with a catalogued
// error. The environment variable KARAKAL_TEST_DATA names the folder of the
// data; without it the test is skipped.

#include "traces/TraceReader.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>

using namespace karakal;
using namespace karakal::traces;

namespace {

TEST(Captures, areReadOrRefusedForTheirLinkType) {
  const char *data = std::getenv("KARAKAL_TEST_DATA");
  if (!data || !*data)
    GTEST_SKIP() << "KARAKAL_TEST_DATA is not set: no captures to read";
  const auto folder = std::filesystem::path(data) / "pcap";
  ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
  const std::map<std::string, std::string> refused = {
      {"tcpdump--mpls-traceroute.pcap", "E-traces-004"},
      {"tcpdump--lspping-fec-ldp.pcap", "E-traces-004"},
      {"tcpdump--cve2015-0261-ipv6.pcap", "E-traces-004"},
  };
  unsigned fileCount = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    ++fileCount;
    const std::string name = entry.path().filename();
    auto packets = readTrace(entry.path(), 4);
    const auto expected = refused.find(name);
    if (expected == refused.end()) {
      EXPECT_TRUE(packets) << packets.error().str();
      continue;
    }
    ASSERT_FALSE(packets) << name;
    EXPECT_EQ(packets.error().id, expected->second) << name;
  }
  EXPECT_EQ(fileCount, 59u);
}

} // namespace
