// The mapping file and its errors.

#include "aggregation/formation/MappingFile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <tuple>

using namespace karakal;
using testing::ElementsAre;

TEST(MappingFileTest, AggregatesEnginesAndTheXScaleCore) {
  auto mapping = agg::parseMapping("# two stages\n"
                                   "aggregate front 2\n"
                                   "  m.a # first\n"
                                   "  m.b\n"
                                   "aggregate back\n"
                                   "  m.c\n\n"
                                   "xscale\n  m.d\n",
                                   "f.map", 6);
  ASSERT_TRUE(bool(mapping)) << mapping.error().str();
  ASSERT_EQ(mapping->aggregates.size(), 2u);
  EXPECT_EQ(mapping->aggregates[0].name, "front");
  EXPECT_EQ(mapping->aggregates[0].engines, 2u);
  EXPECT_THAT(mapping->aggregates[0].ppfs, ElementsAre("m.a", "m.b"));
  EXPECT_EQ(mapping->aggregates[1].engines, 0u);
  EXPECT_THAT(mapping->xscale, ElementsAre("m.d"));
}

TEST(MappingFileTest, AnErrorNamesItsLine) {
  const std::pair<const char *, const char *> cases[] = {
      {"\nm.a\n", "f.map:2: error: a PPF must follow"},
      {"aggregate\n", "f.map:1: error: an aggregate needs a name"},
      {"aggregate a/b\n", "f.map:1: error: an aggregate needs a name"},
      {"aggregate rx\n", "is the name of the runtime's microcode"},
      {"aggregate a\naggregate a\n", "f.map:2: error: there are two"},
      {"aggregate a 7\n", "an aggregate has 1 to 6 engines, not '7'"},
      {"aggregate a 2 3\n", "'3' is in the place of 'contexts=N'"},
      {"xscale\nm.a m.b\n", "f.map:2: error: a PPF needs a line"},
  };
  for (auto &[text, what] : cases) {
    auto mapping = agg::parseMapping(text, "f.map", 6);
    ASSERT_FALSE(bool(mapping)) << text;
    EXPECT_EQ(mapping.error().id, "E-aggregation-001");
    EXPECT_THAT(mapping.error().str(), testing::HasSubstr(what)) << text;
  }
}

TEST(MappingFileTest, EnginesContextsAndRingsOfAnAggregate) {
  auto parsed = [](const std::string &wishes) {
    auto mapping =
        agg::parseMapping("aggregate a-1_b.c " + wishes + "\n", "m", 16);
    EXPECT_TRUE(bool(mapping)) << wishes;
    const agg::MappedAggregate &made = mapping->aggregates.at(0);
    EXPECT_EQ(made.name, "a-1_b.c");
    return std::tuple(made.engines, made.contexts, made.takesSramRing);
  };
  using Wishes = std::tuple<unsigned, unsigned, bool>;
  EXPECT_EQ(parsed(""), Wishes(0, 0, false));
  EXPECT_EQ(parsed("1"), Wishes(1, 0, false));
  EXPECT_EQ(parsed("6"), Wishes(6, 0, false));
  EXPECT_EQ(parsed("16"), Wishes(16, 0, false));
  EXPECT_EQ(parsed("contexts=1"), Wishes(0, 1, false));
  EXPECT_EQ(parsed("contexts=8"), Wishes(0, 8, false));
  EXPECT_EQ(parsed("ring=sram"), Wishes(0, 0, true));
  EXPECT_EQ(parsed("ring=scratch"), Wishes(0, 0, false));
  EXPECT_EQ(parsed("ring=sram ring=scratch"), Wishes(0, 0, false));
  EXPECT_EQ(parsed("3 contexts=4 ring=sram # all"), Wishes(3, 4, true));
}

TEST(MappingFileTest, AnAggregateThatCannotBeIsRefused) {
  const std::pair<const char *, const char *> cases[] = {
      {"aggregate a 0\n", "1 to 6 engines, not '0'"},
      {"aggregate a 10\n", "1 to 6 engines, not '10'"},
      {"aggregate a 2x\n", "1 to 6 engines, not '2x'"},
      {"aggregate a -1\n", "1 to 6 engines, not '-1'"},
      {"aggregate a contexts=0\n", "an engine has 1 to 8 contexts"},
      {"aggregate a contexts=9\n", "an engine has 1 to 8 contexts"},
      {"aggregate a contexts=11\n", "an engine has 1 to 8 contexts"},
      {"aggregate a contexts=\n", "an engine has 1 to 8 contexts"},
      {"aggregate a ring=dram\n", "'ring=dram' is neither"},
      {"aggregate a 2 xcontexts=2\n", "'xcontexts=2' is neither"},
      {"aggregate a contexts=2 3\n", "'3' is in the place of"},
      {"aggregate tx\n", "'tx' is the name of the runtime's"},
      {"aggregate a:b\n", "an aggregate needs a name"},
      {"aggregate a\n m.a\naggregate b\naggregate a\n", "m:4: error"},
      {"\n# m.a\nxscale m.a\n", "m:3: error: a PPF needs a line"},
  };
  for (auto &[text, what] : cases) {
    auto mapping = agg::parseMapping(text, "m", 6);
    ASSERT_FALSE(bool(mapping)) << text;
    EXPECT_THAT(mapping.error().str(), testing::HasSubstr(what)) << text;
  }
}

TEST(MappingFileTest, LinesBelongToTheLastName) {
  auto mapping = agg::parseMapping(
      "xscale\nm.a\naggregate one\nm.b\nxscale\nm.c\n#\n", "m", 6);
  ASSERT_TRUE(bool(mapping));
  EXPECT_THAT(mapping->xscale, ElementsAre("m.a", "m.c"));
  EXPECT_THAT(mapping->aggregates.at(0).ppfs, ElementsAre("m.b"));
  EXPECT_EQ(agg::parseMapping("# nothing\n\n", "m", 6)->aggregates.size(), 0u);
}
