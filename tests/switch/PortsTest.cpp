// Descriptions of ports.

#include "switch/Ports.h"
#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::sw;
using testing::HasSubstr;

namespace {

std::string errorOf(const std::string &text) {
  auto port = openPort(text, {});
  EXPECT_FALSE(port) << text;
  return port ? "" : port.error().str();
}

} // namespace

TEST(Ports, AWordAloneIsAnInterface) {
  auto port = parsePort("veth0");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->driver, "af_packet");
  EXPECT_EQ(port->values.at("iface"), "veth0");
}

TEST(Ports, ADriverHasKeysAndValues) {
  auto port = parsePort("pcap,rx=a=b.pcap,repeat=3");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->driver, "pcap");
  EXPECT_EQ(port->values.at("rx"), "a=b.pcap");
  EXPECT_EQ(port->values.at("repeat"), "3");
}

TEST(Ports, WhatFollowsDpdkIsLeftToIt) {
  auto port = parsePort("dpdk:net_ring0,a=b,a=c");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->driver, "dpdk");
  EXPECT_EQ(port->values.at("device"), "net_ring0,a=b,a=c");
}

TEST(Ports, EachMistakeIsNamed) {
  EXPECT_THAT(errorOf(""), HasSubstr("neither an interface nor a driver"));
  EXPECT_THAT(errorOf("nosuch,a=b"),
              HasSubstr("no driver 'nosuch'; the drivers are af_packet, dpdk, "
                        "null, pcap"));
  EXPECT_THAT(errorOf("null,a=b"), HasSubstr("no key 'a'"));
  EXPECT_THAT(errorOf("pcap,rx"), HasSubstr("not of the form key=value"));
  EXPECT_THAT(errorOf("pcap,rx=a,rx=b"), HasSubstr("given twice"));
  EXPECT_THAT(errorOf("pcap,rx="), HasSubstr("has no value"));
  EXPECT_THAT(errorOf("pcap,repeat=x"), HasSubstr("number below"));
  EXPECT_THAT(errorOf("pcap,rate=1e6"), HasSubstr("number below"));
  EXPECT_THAT(errorOf("pcap,interface=4"), HasSubstr("number below 4"));
  EXPECT_THAT(errorOf("pcap,rx=/no/such/file"), HasSubstr("E-traces-001"));
  EXPECT_THAT(errorOf("dpdk:"), HasSubstr("names no device"));
  EXPECT_THAT(errorOf("dpdk:,a=b"), HasSubstr("names no device"));
  EXPECT_THAT(errorOf("af_packet"), HasSubstr("names no interface"));
  EXPECT_THAT(errorOf("nosuchinterface"), HasSubstr("E-switch-002"));
}

TEST(Ports, WhatLeavesThroughNullIsCounted) {
  PortOptions options;
  options.cores = 2;
  auto port = openPort("null", options);
  ASSERT_TRUE(port);
  uint8_t bytes[60] = {};
  Frame frames[2] = {{bytes, 60, 0}, {bytes, 60, 0}};
  (*port)->send(0, frames, 2);
  (*port)->send(1, frames, 1);
  EXPECT_EQ((*port)->counts().sent, 3u);
  EXPECT_EQ((*port)->counts().sentBytes, 180u);
  EXPECT_TRUE((*port)->isEnded());
}
