// The strides of path-compressed tries, by hand.

#include "baker-lang/tables/CompressedTrie.h"

#include "gtest/gtest.h"

namespace karakal::lang {
namespace {

/// Two prefixes of 8 bits that share the first 5.
PrefixCounts twoThatPart() {
  PrefixCounts counts;
  counts.prefixes = {0, 0, 0, 0, 0, 0, 0, 0, 2};
  counts.nodes = {1, 1, 1, 1, 1, 1, 2, 2};
  counts.isObserved = true;
  return counts;
}

constexpr double cheapWords = 1e9;

TEST(CompressedTrie, OfEqualAccessesTheFewestWordsWin) {
  // The node after 2 bits has nothing to tell. The one after 5 has both ends.
  auto trie = compressedTrie(twoThatPart(), 2, 1000, cheapWords);
  ASSERT_TRUE(trie);
  EXPECT_EQ(trie->strides(), "2-3x2");
  EXPECT_EQ(trie->levels(), 3u);
  EXPECT_EQ(trie->nodes, 8u);
  // The nodes are aligned, so that the root takes as many words as one.
  EXPECT_EQ(trie->memoryWords(), 8u + 8 * 8);
  EXPECT_DOUBLE_EQ(trie->accesses, 2);
}

TEST(CompressedTrie, ANodeInWhichPrefixesPartIsRead) {
  PrefixCounts counts = twoThatPart();
  // They share one bit. No root of this size saves a node.
  counts.nodes = {1, 1, 2, 2, 2, 2, 2, 2};
  auto trie = compressedTrie(counts, 2, 72, cheapWords);
  ASSERT_TRUE(trie);
  EXPECT_EQ(trie->strides(), "2-3x2");
  // Both nodes after 5 bits have an end. None of the two after 2 bits.
  EXPECT_DOUBLE_EQ(trie->accesses, 2);
  counts.nodes = {1, 1, 1, 2, 2, 2, 2, 2};
  trie = compressedTrie(counts, 2, 72, cheapWords);
  ASSERT_TRUE(trie);
  // The only one after 2 bits has two below it.
  EXPECT_DOUBLE_EQ(trie->accesses, 3);
}

TEST(CompressedTrie, ALargeRootMustBeWorthItsWords) {
  PrefixCounts counts = twoThatPart();
  counts.nodes = {1, 1, 1, 2, 2, 2, 2, 2};
  auto cheap = compressedTrie(counts, 2, 1000, cheapWords);
  ASSERT_TRUE(cheap);
  // A root of 5 bits leads to the prefixes' own nodes.
  EXPECT_EQ(cheap->strides(), "5-3x1");
  EXPECT_DOUBLE_EQ(cheap->accesses, 2);
  EXPECT_EQ(cheap->memoryWords(), 32u + 8 * 8);
  // One of 2 bits costs an access and saves 24 words.
  auto dear = compressedTrie(counts, 2, 1000, 23);
  ASSERT_TRUE(dear);
  EXPECT_EQ(dear->strides(), "2-3x2");
  EXPECT_DOUBLE_EQ(dear->accesses, 3);
  EXPECT_EQ(compressedTrie(counts, 2, 1000, 25)->strides(), "5-3x1");
}

TEST(CompressedTrie, NothingWhereItDoesNotFit) {
  EXPECT_FALSE(compressedTrie(twoThatPart(), 2, 71, cheapWords));
  EXPECT_TRUE(compressedTrie(twoThatPart(), 2, 72, cheapWords));
  PrefixCounts wide;
  wide.prefixes.resize(130);
  wide.nodes.resize(129, 1);
  EXPECT_FALSE(compressedTrie(wide, 2, 1 << 20, cheapWords));
}

TEST(CompressedTrie, KeysAreShiftedAsAWhole) {
  CompressedTrie trie = {96, 12, 6, 10};
  EXPECT_EQ(compressedTrieText("WHOLE", trie), "u128");
  EXPECT_EQ(compressedTrieText("WHOLE_OF_PARAMETERS", trie),
            "(u128)k0 << 96 | (u128)k1 << 64 | (u128)k2 << 32");
  EXPECT_EQ(compressedTrieText("LEVEL_COUNT", trie), "15");
  trie = {20, 8, 4, 10};
  EXPECT_EQ(compressedTrieText("WHOLE_BITS", trie), "32");
  EXPECT_EQ(compressedTrieText("WHOLE_OF_SLOT", trie), "entries[n].key[0]");
  EXPECT_EQ(compressedTrieText("SLOTS", trie), std::nullopt);
}

} // namespace
} // namespace karakal::lang
