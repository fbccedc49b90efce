// The strides of tries: the best ones of all, and what they are chosen from.

#include "baker-lang/tables/TrieLayout.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <bitset>
#include <random>
#include <set>

namespace karakal::lang {
namespace {

constexpr unsigned keyBits = 9;

PrefixCounts someCounts() {
  PrefixCounts counts;
  counts.prefixes = {1, 0, 3, 9, 0, 20, 1, 30, 2, 5};
  counts.nodes = {1, 2, 4, 7, 12, 20, 25, 7, 4};
  counts.isObserved = true;
  return counts;
}

/// The words and accesses of all tries, by trying all strides.
void tryAll(const std::vector<TrieLevel> &levels, unsigned bits,
            const std::vector<uint64_t> &nodes, const PrefixCounts &counts,
            std::vector<TrieLayout> &found) {
  if (bits == keyBits) {
    TrieLayout made{levels, 0};
    for (const TrieLevel &level : levels)
      made.accesses += level.bits == 0 ? 1 : counts.shareLonger(level.bits);
    found.push_back(made);
    return;
  }
  for (unsigned stride = 1; stride <= keyBits - bits; ++stride) {
    std::vector<TrieLevel> more = levels;
    more.push_back({bits, stride, nodes[bits]});
    tryAll(more, bits + stride, nodes, counts, found);
  }
}

/// What is minimized: a level that is seldom read costs a little, too.
double costOf(const TrieLayout &trie) {
  return trie.accesses + double(trie.levels.size()) / 32;
}

TEST(TrieLayout, NoOtherStridesAreBetter) {
  PrefixCounts counts = someCounts();
  constexpr uint64_t entries = 40;
  std::vector<uint64_t> nodes;
  for (unsigned bits = 0; bits < keyBits; ++bits)
    nodes.push_back(std::min<uint64_t>(uint64_t(1) << bits, entries));
  std::vector<TrieLayout> all;
  tryAll({}, 0, nodes, counts, all);
  EXPECT_EQ(all.size(), 1u << (keyBits - 1));
  // Up to 256 words the search counts single words.
  for (uint64_t wordsMax : {100, 150, 200, 256}) {
    auto layouts = trieLayouts(counts, entries, TrieRoom::AnyPrefixes, wordsMax,
                               chipTrieCosts);
    double best = 1e9;
    for (const TrieLayout &trie : all)
      if (trie.words() <= wordsMax)
        best = std::min(best, costOf(trie));
    if (best == 1e9) {
      EXPECT_TRUE(layouts.empty());
      continue;
    }
    ASSERT_FALSE(layouts.empty()) << wordsMax;
    EXPECT_NEAR(costOf(layouts.back()), best, 1e-9) << wordsMax;
    for (const TrieLayout &trie : layouts)
      EXPECT_LE(trie.words(), wordsMax);
  }
}

TEST(TrieLayout, MoreWordsSaveAccesses) {
  auto layouts = trieLayouts(someCounts(), 1000, TrieRoom::ExpectedPrefixes,
                             600, chipTrieCosts);
  ASSERT_GE(layouts.size(), 2u);
  for (size_t i = 1; i < layouts.size(); ++i)
    EXPECT_LT(costOf(layouts[i]), costOf(layouts[i - 1]));
  EXPECT_EQ(layouts.back().strides(), "9");
  for (const TrieLayout &trie : layouts) {
    unsigned bits = 0;
    for (const TrieLevel &level : trie.levels) {
      EXPECT_EQ(level.bits, bits);
      bits += level.stride;
    }
    EXPECT_EQ(bits, keyBits);
  }
}

TEST(TrieLayout, RoomForOtherPrefixesIsDoubledWhileItFits) {
  TrieLayout trie{{{0, 4, 1}, {4, 4, 3}}, 2};
  TrieLayout small = trie, large = trie, full = trie;
  addRoom(small, 10, 16 + 16 * 5);
  EXPECT_EQ(small.levels[1].nodes, 3u);
  addRoom(large, 10, 16 + 16 * 6);
  EXPECT_EQ(large.levels[1].nodes, 6u);
  EXPECT_EQ(large.memoryWords(), 16u + 16 * 6);
  // Ten prefixes have ten nodes at most, of which the root is one.
  addRoom(full, 10, 1000);
  EXPECT_EQ(full.levels[1].nodes, 10u);
  EXPECT_EQ(full.levels[0].nodes, 1u);
}

class PrefixCountsTest : public testing::Test {
protected:
  PrefixCountsTest() { context.loadDialect<ir::BakerDialect>(); }
  ir::TableOp table(const std::string &key, const std::string &rest) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "baker.table @t key(" + key +
            ") record !baker.struct<\"t\", v : i8> types [\"u8\"] " + rest,
        &context);
    EXPECT_TRUE(module);
    return *module->getOps<ir::TableOp>().begin();
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(PrefixCountsTest, CountsWhatIsAdded) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    ir::TableOp of = table("lpm \"a\" : i12, exact \"b\" : i3",
                           "size 200 limit 200 entries [array<i64: 0, 0, 5, "
                           "1>, array<i64: 4095, 12, 5, 1>]");
    std::vector<EntryArguments> added;
    std::set<std::string> entries = {"101", "101111111111111"};
    for (int i = 0; i < 150; ++i) {
      unsigned length = random() % 13;
      uint64_t value = (random() & 0xfff) >> (12 - length) << (12 - length);
      uint64_t exact = random() % 3;
      added.push_back({value, length, exact, 9});
      entries.insert((std::bitset<3>(exact).to_string() +
                      std::bitset<12>(value).to_string())
                         .substr(0, 3 + length));
    }
    std::vector<int64_t> lengths(16), nodes(15);
    for (const std::string &entry : entries)
      ++lengths[entry.size()];
    for (unsigned bits = 0; bits < 15; ++bits) {
      std::set<std::string> different;
      for (const std::string &entry : entries)
        if (entry.size() > bits)
          different.insert(entry.substr(0, bits));
      nodes[bits] = int64_t(different.size());
    }
    countPrefixes(of, added);
    ASSERT_TRUE(of.getPrefixLengths());
    EXPECT_EQ(of.getPrefixLengths()->vec(), lengths);
    EXPECT_EQ(of.getPrefixNodes()->vec(), nodes);
    EXPECT_TRUE(mlir::succeeded(of.verify()));
  }
}

TEST_F(PrefixCountsTest, AFewEntriesTellNothing) {
  ir::TableOp of = table("lpm \"a\" : i32", "size 100 limit 200");
  countPrefixes(of, std::vector<EntryArguments>(24, {0, 8, 1}));
  EXPECT_FALSE(of.getPrefixLengths());
  PrefixCounts real = prefixCountsOf(of);
  EXPECT_EQ(real.count(), 112986);
  EXPECT_EQ(real.source, "a real IPv4 table");
  // Larger tables have more nodes, and no table more than there can be.
  for (unsigned bits = 0; bits < 32; ++bits) {
    double least = 0;
    for (uint64_t entries : {1, 100, 10000, 112986, 1000000}) {
      double nodes = real.nodesFor(bits, entries);
      EXPECT_GE(nodes, least);
      EXPECT_LE(nodes,
                std::min<double>(double(uint64_t(1) << bits), double(entries)));
      least = nodes;
    }
  }
  EXPECT_NEAR(real.nodesFor(16, 112986), 6878, 1e-6);
}

TEST_F(PrefixCountsTest, ExactFieldsComeBeforeThePrefix) {
  PrefixCounts counts = prefixCountsOf(
      table("lpm \"a\" : i128, exact \"b\" : i16", "size 100 limit 200"));
  EXPECT_EQ(counts.prefixes.size(), 145u);
  EXPECT_EQ(counts.shareLonger(15), 1);
  EXPECT_EQ(counts.prefixes[16 + 48], 75488);
  PrefixCounts other =
      prefixCountsOf(table("lpm \"a\" : i13", "size 100 limit 200"));
  EXPECT_EQ(other.shareLonger(12), 1);
  EXPECT_EQ(other.nodesFor(12, 200), 200);
}

} // namespace
} // namespace karakal::lang
