// Spelling suggestions.

#include "support/NearestName.h"

#include "gtest/gtest.h"

using namespace karakal;

namespace {

TEST(NearestName, EveryEditCostsOne) {
  // A name of three to five characters may differ by one edit.
  EXPECT_EQ(nearestName("hops", {"hop"}), "hop");     // deletes
  EXPECT_EQ(nearestName("hops", {"hoops"}), "hoops"); // inserts
  EXPECT_EQ(nearestName("hops", {"hips"}), "hips");   // replaces
  EXPECT_EQ(nearestName("hosp", {"hops"}), "hops");   // swaps
  EXPECT_EQ(nearestName("ohps", {"hops"}), "hops");   // swaps the first two
}

TEST(NearestName, AThirdOfTheCharactersMayDiffer) {
  EXPECT_EQ(nearestName("hops", {"hipp"}), "");           // 2 of 4
  EXPECT_EQ(nearestName("prefix", {"perfax"}), "perfax"); // 2 of 6
  EXPECT_EQ(nearestName("prefi", {"perfa"}), "");         // 2 of 5
  EXPECT_EQ(nearestName("prefix", {"prafax"}), "prafax"); // 2 of 6
  EXPECT_EQ(nearestName("prefix", {"prafay"}), "");       // 3 of 6
}

TEST(NearestName, CharactersBeforeTheNameCountToo) {
  EXPECT_EQ(nearestName("abcdhops", {"hops"}), "");
  EXPECT_EQ(nearestName("hops", {"abcdhops"}), "");
}

TEST(NearestName, OneEditOfAShortNameIsEnoughUnlessNothingStays) {
  EXPECT_EQ(nearestName("ab", {"ac"}), "ac");
  EXPECT_EQ(nearestName("a", {"b"}), "");
  EXPECT_EQ(nearestName("a", {"ab"}), "");
  EXPECT_EQ(nearestName("", {"a"}), "");
}

TEST(NearestName, TheNearestWinsAndAmongEqualsTheFirst) {
  EXPECT_EQ(nearestName("prefix", {"perfax", "prefax", "prafax"}), "prefax");
  EXPECT_EQ(nearestName("hops", {"hips", "hop"}), "hips");
  EXPECT_EQ(nearestName("hops", {}), "");
}

TEST(NearestName, SkipsTheNameItself) {
  EXPECT_EQ(nearestName("hops", {"hops"}), "");
  EXPECT_EQ(nearestName("hops", {"hops", "hop"}), "hop");
}

TEST(NearestName, NamesOver64CharactersHaveNone) {
  const std::string longest(64, 'a'), tooLong(65, 'a');
  EXPECT_EQ(nearestName(longest, {longest.substr(1)}), longest.substr(1));
  EXPECT_EQ(nearestName(longest.substr(1), {longest}), longest);
  EXPECT_EQ(nearestName(tooLong, {longest}), "");
  EXPECT_EQ(nearestName(longest, {tooLong}), "");
}

} // namespace
