// What packets do with tables and branches: heavy hitters, sums over cores, and
// when code should be made again.

#include "codegen-x86/specialize/Traffic.h"

#include "gtest/gtest.h"

#include <map>

using namespace karakal::x86;

namespace {

std::map<uint32_t, SpaceSaving::Counter> countersOf(const SpaceSaving &stream) {
  std::map<uint32_t, SpaceSaving::Counter> found;
  for (const SpaceSaving::Counter &each : stream.counters())
    if (each.count != 0)
      found[each.element] = each;
  return found;
}

void note(SpaceSaving &stream, uint32_t element, unsigned times) {
  for (unsigned i = 0; i < times; ++i)
    stream.note(element);
}

/// One table whose look-ups find these slots with these shares.
Traffic tableTraffic(std::vector<Traffic::Found> slots) {
  Traffic traffic;
  traffic.tables.emplace_back().slots = std::move(slots);
  return traffic;
}

Traffic branchTraffic(std::vector<uint64_t> counts) {
  Traffic traffic;
  traffic.branches.push_back(std::move(counts));
  return traffic;
}

} // namespace

TEST(SpaceSaving, CountsExactlyWhileElementsAreFew) {
  SpaceSaving stream(1000);
  note(stream, 0, 3), note(stream, 7, 5);
  auto found = countersOf(stream);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].count, 3u);
  EXPECT_EQ(found[7].count, 5u);
  EXPECT_EQ(found[7].error, 0u);
  EXPECT_EQ(stream.total(), 8u);
}

TEST(SpaceSaving, ANewElementTakesTheRarestCounterAndItsCountAsError) {
  SpaceSaving stream(10'000);
  for (uint32_t i = 0; i < SpaceSaving::Counters; ++i)
    note(stream, 100 + i, 10 + i);
  note(stream, 5, 1);
  auto found = countersOf(stream);
  EXPECT_EQ(found.count(100), 0u);
  EXPECT_EQ(found[5].count, 11u);
  EXPECT_EQ(found[5].error, 10u);
  EXPECT_EQ(found[101].count, 11u);
}

TEST(SpaceSaving, AHeavyHitterStaysAmongMany) {
  SpaceSaving stream(1 << 20);
  for (uint32_t i = 0; i < 20'000; ++i)
    stream.note(i % 10 == 0 ? 77 : 1000 + i);
  auto found = countersOf(stream);
  ASSERT_EQ(found.count(77), 1u);
  EXPECT_GE(found[77].count, 2000u);
  EXPECT_LE(found[77].count - found[77].error, 2000u);
}

TEST(SpaceSaving, CountsAreHalvedAfterTheLength) {
  SpaceSaving stream(100);
  note(stream, 3, 99);
  EXPECT_EQ(stream.total(), 99u);
  stream.note(4);
  EXPECT_EQ(stream.total(), 50u);
  EXPECT_EQ(countersOf(stream)[3].count, 49u);
  EXPECT_EQ(countersOf(stream)[4].count, 1u);
}

TEST(Traffic, SumsTheCoresAndKeepsOnlyWhatIsSure) {
  CoreTraffic one(1), two(1);
  note(one.found[0], 1, 60), note(one.found[0], 2, 20);
  note(two.found[0], 2, 20);
  one.edges = {1, 2, 3, 4, 5}, two.edges = {10, 20, 30, 40, 50};
  Traffic traffic = trafficOf({&one, &two}, {2, 3}, 100);
  ASSERT_EQ(traffic.tables.size(), 1u);
  const Traffic::OfTable &table = traffic.tables[0];
  EXPECT_EQ(table.lookups, 100u);
  ASSERT_EQ(table.slots.size(), 2u);
  EXPECT_EQ(table.slots[0].slot, 1u) << "the most frequent first";
  EXPECT_DOUBLE_EQ(table.shareOf(1), 0.6);
  EXPECT_DOUBLE_EQ(table.shareOf(2), 0.4);
  EXPECT_EQ(table.shareOf(3), 0);
  using Counts = std::vector<uint64_t>;
  EXPECT_EQ(traffic.branches,
            (std::vector<Counts>{Counts{11, 22}, Counts{33, 44, 55}}));
  EXPECT_TRUE(trafficOf({&one}, {2, 3}, 81).tables[0].slots.empty())
      << "80 look-ups are too few";
}

TEST(Traffic, AnElementThatMayNotHaveComeIsNoSlot) {
  CoreTraffic core(1);
  for (uint32_t i = 0; i < SpaceSaving::Counters; ++i)
    note(core.found[0], 100 + i, 10);
  note(core.found[0], 5, 1);
  Traffic traffic = trafficOf({&core}, {}, 1);
  EXPECT_DOUBLE_EQ(traffic.tables[0].shareOf(5), 1.0 / 321);
  EXPECT_EQ(traffic.tables[0].slots.size(), SpaceSaving::Counters);
}

TEST(Traffic, IsFarIfAFifthOfTheLookupsFindsSomethingElse) {
  Traffic before = tableTraffic({{1, 0.6}, {2, 0.4}});
  EXPECT_FALSE(isFar(before, before));
  EXPECT_FALSE(isFar(before, tableTraffic({{1, 0.42}, {2, 0.58}})));
  EXPECT_TRUE(isFar(before, tableTraffic({{1, 0.38}, {2, 0.62}})));
  EXPECT_TRUE(isFar(before, tableTraffic({{1, 0.6}, {3, 0.4}})));
  EXPECT_TRUE(isFar({}, before)) << "nothing was known";
  EXPECT_FALSE(isFar(before, tableTraffic({}))) << "nothing is known";
}

TEST(Traffic, IsFarIfABranchGoesAnotherWay) {
  Traffic before = branchTraffic({900, 100});
  EXPECT_FALSE(isFar(before, branchTraffic({750, 250})));
  EXPECT_TRUE(isFar(before, branchTraffic({650, 350})));
  EXPECT_FALSE(isFar(before, branchTraffic({0, 255}))) << "too few packets";
  EXPECT_TRUE(isFar(before, branchTraffic({0, 256})));
  EXPECT_TRUE(isFar(branchTraffic({200, 55}), branchTraffic({800, 220})))
      << "too few packets before";
}

TEST(Traffic, CountsOfBranchesAreHalved) {
  CoreTraffic core(0);
  core.edges = {7, 0, 1000};
  core.halveEdges();
  EXPECT_EQ(core.edges, (std::vector<uint64_t>{3, 0, 500}));
}
