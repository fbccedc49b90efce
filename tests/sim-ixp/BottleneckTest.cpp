// The reported limit of a run.
//
// The statistics of an idle chip, with one part that is busy: the report names
// that part.

#include "sim-ixp/report/Bottleneck.h"

#include "gtest/gtest.h"

using namespace karakal::sim;
using nlohmann::json;

class BottleneckTest : public ::testing::Test {
protected:
  BottleneckTest() {
    json server = {{"utilization", 0.1}};
    json engine = {{"role", "app"},
                   {"cycles", 100},
                   {"idle_cycles", 60},
                   {"stall_cycles", 0}};
    stats = {
        {"units",
         {{"scratch", server},
          {"hash", server},
          {"sram", {server, server}},
          {"dram", {{"utilization", 0.1}, {"bank_utilization", {0.1, 0.1}}}},
          {"bus",
           {{"command_utilization", {0.1, 0.1}},
            {"pull_utilization", {0.1, 0.1, 0.1}},
            {"push_utilization", {0.1, 0.1, 0.1}}}},
          {"msf",
           {{"receive_utilization", 0.1}, {"transmit_utilization", 0.1}}}}},
        {"rate",
         {{"open_loop", false},
          {"offered_gbps", 1.0},
          {"forwarded_gbps", 1.0},
          {"port_utilization", 0.1}}},
        {"packets", {{"rx_overflow", 0}}},
        {"microengines", {engine}}};
  }
  std::string unit() { return findBottleneck(stats)["unit"]; }

  json stats;
};

TEST_F(BottleneckTest, ASaturatedUnitIsTheLimit) {
  stats["units"]["sram"][1]["utilization"] = 0.93;
  EXPECT_EQ(unit(), "SRAM channel 1");
  stats["units"]["dram"]["bank_utilization"][1] = 0.95;
  EXPECT_EQ(unit(), "DRAM bank 1");
  stats["rate"]["port_utilization"] = 0.96;
  EXPECT_EQ(unit(), "ports");
}

TEST_F(BottleneckTest, ASaturatedBusIsTheLimit) {
  json &buses = stats["units"]["bus"];
  buses["command_utilization"][1] = 0.91;
  EXPECT_EQ(unit(), "command bus of cluster 1");
  buses["push_utilization"][0] = 0.92;
  EXPECT_EQ(unit(), "S push bus of cluster 0");
  buses["pull_utilization"][2] = 0.93;
  EXPECT_EQ(unit(), "D pull bus");
}

TEST_F(BottleneckTest, BusyEnginesComeBeforeANearlyFullUnit) {
  stats["units"]["sram"][0]["utilization"] = 0.85;
  EXPECT_EQ(unit(), "SRAM channel 0");
  stats["microengines"][0]["idle_cycles"] = 5;
  EXPECT_EQ(unit(), "program's engines");
  stats["microengines"][0]["role"] = "tx";
  EXPECT_EQ(unit(), "transmit engine");
}

TEST_F(BottleneckTest, AContendedLockIsTheLimitWhateverItsPollsKeepBusy) {
  stats["units"]["scratch"]["utilization"] = 0.95;
  stats["locks"] = {{"wait_share", 0.24}, {"places", {"a.baker:7"}}};
  EXPECT_EQ(unit(), "scratch");
  stats["locks"]["wait_share"] = 0.26;
  EXPECT_EQ(unit(), "locks");
  const std::string advice = findBottleneck(stats)["advice"];
  EXPECT_NE(advice.find("a.baker:7"), std::string::npos) << advice;
  stats["rate"]["open_loop"] = true;
  EXPECT_EQ(unit(), "scratch");
}

TEST_F(BottleneckTest, EnginesThatStallAreHeldBackByTheFullestUnit) {
  stats["units"]["dram"]["utilization"] = 0.72;
  stats["microengines"][0]["idle_cycles"] = 5;
  stats["microengines"][0]["stall_cycles"] = 24;
  EXPECT_EQ(unit(), "program's engines");
  stats["microengines"][0]["stall_cycles"] = 26;
  EXPECT_EQ(unit(), "DRAM bus");
  EXPECT_EQ(findBottleneck(stats)["advice"],
            "fewer or narrower DRAM accesses a packet (levels pac and phr)");
  stats["microengines"][0]["role"] = "tx";
  EXPECT_EQ(unit(), "transmit engine");
}

TEST_F(BottleneckTest, LatencyIsTheLimitIfNoUnitIsNearlyFull) {
  stats["units"]["sram"][0]["utilization"] = 0.79;
  EXPECT_EQ(unit(), "latency");
}

TEST_F(BottleneckTest, OfferedLoadIsTheLimitOnlyWithAGivenRate) {
  stats["units"]["sram"][0]["utilization"] = 0.85;
  stats["rate"]["open_loop"] = true;
  EXPECT_EQ(unit(), "offered load");
  stats["rate"]["offered_gbps"] = 1.1; // more than is forwarded
  EXPECT_EQ(unit(), "SRAM channel 0");
  stats["rate"]["offered_gbps"] = 1.0;
  stats["packets"]["rx_overflow"] = 1;
  EXPECT_EQ(unit(), "SRAM channel 0");
}
