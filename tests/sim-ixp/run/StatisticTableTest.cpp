// Keys of statistics, matched part by part.

#include "sim-ixp/report/StatisticTable.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace karakal::sim;

TEST(StatisticTableTest, PartsInCapitalsStandForAnyName) {
  auto rowOf = [](const char *key) -> std::string {
    const StatisticRow *row = findStatistic(key);
    return row ? row->key : "";
  };
  EXPECT_EQ(rowOf("cycles"), "cycles");
  EXPECT_EQ(rowOf("packets.received"), "packets.received");
  EXPECT_EQ(rowOf("drops.no_route"), "drops.REASON");
  EXPECT_EQ(rowOf("per_packet.packet.dram"), "per_packet.packet.MEMORY");
  EXPECT_EQ(rowOf("per_packet.other.hash"), "per_packet.other.UNIT");
  EXPECT_EQ(rowOf("units.scratch.utilization"), "units.NAME.utilization");
  EXPECT_EQ(rowOf("units.sram[].utilization"), "units.NAME.utilization")
      << "the first row that matches";
  EXPECT_EQ(rowOf("units.sram[].read_utilization"),
            "units.sram[].read_utilization");
}

TEST(StatisticTableTest, KeysOfOtherLengthsAreOthers) {
  for (const char *key :
       {"", "packets", "packets.received.more", "drops", "drops.a.b",
        "packets.Received", "received", ".cycles", "cycle", "cycless"})
    EXPECT_EQ(findStatistic(key), nullptr) << key;
}

TEST(StatisticTableTest, TheDescriptionIsInColumns) {
  std::string text = describeStatisticTable();
  // Two spaces and the key fill 36 characters.
  EXPECT_NE(
      text.find("  packets.received                  packets: frames that"),
      std::string::npos);
  EXPECT_EQ(text.find("  schema"), 0u);
  EXPECT_EQ(size_t(std::count(text.begin(), text.end(), '\n')),
            statisticTable().size());
}
