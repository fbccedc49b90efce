// The mapping file and its errors.

#include "aggregation/formation/MappingFile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

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
                                   "f.map");
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
    auto mapping = agg::parseMapping(text, "f.map");
    ASSERT_FALSE(bool(mapping)) << text;
    EXPECT_EQ(mapping.error().id, "E-aggregation-001");
    EXPECT_THAT(mapping.error().str(), testing::HasSubstr(what)) << text;
  }
}
