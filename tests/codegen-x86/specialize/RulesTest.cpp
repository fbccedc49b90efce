// Entries of a table as rules, and rules as hash tables.

#include "codegen-x86/specialize/MaskSets.h"

#include "gtest/gtest.h"

using namespace karakal::x86;

namespace {

using Words = std::vector<uint64_t>;

/// A key of 40 packed bits with masks and one range of 16 bits. A slot has
/// values, masks, the range's bounds and the priority.
TableShape maskedTable() {
  TableShape table;
  table.packedBits = 40;
  table.hasMasks = true;
  table.ranges = {{1, 16}};
  table.slotWords = table.keyWords();
  return table;
}

TableEntry entryOf(uint32_t slot, uint64_t value, uint64_t mask, uint32_t first,
                   uint32_t last) {
  return {slot,
          {uint32_t(value >> 8), uint32_t(value) << 24, uint32_t(mask >> 8),
           uint32_t(mask) << 24, first, last, 0}};
}

/// Whether a rule takes a key, from its definition.
bool takes(const Rule &rule, const Words &key) {
  for (size_t i = 0; i < key.size(); ++i)
    if ((key[i] & rule.masks[i]) != rule.values[i])
      return false;
  for (const Bounds &bounds : rule.bounds)
    if (key[bounds.word] < bounds.first || key[bounds.word] > bounds.last)
      return false;
  return true;
}

} // namespace

TEST(Rules, ValuesAndMasksFillTheUpperBits) {
  auto rules =
      rulesOf(maskedTable(), {{entryOf(5, 0x123400, 0xffff00, 7, 7)}, {}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].slot, 5u);
  EXPECT_EQ(rules[0].values, (Words{0x123400ull << 24, 7}));
  EXPECT_EQ(rules[0].masks, (Words{0xffff00ull << 24, 0xffff}));
  EXPECT_TRUE(rules[0].bounds.empty());
  EXPECT_EQ(keyWordsOf(maskedTable()), 2u);
}

TEST(Rules, ARangeIsAMaskIfItIsAnAlignedBlock) {
  struct Case {
    uint32_t first, last;
    bool isBlock;
  };
  for (const Case &each :
       {Case{8, 15, true}, Case{0, 0xffff, true}, Case{0, 1023, true},
        Case{7, 14, false}, Case{8, 14, false}, Case{1024, 65535, false},
        Case{12, 19, false}}) {
    SCOPED_TRACE(each.first);
    auto rules =
        rulesOf(maskedTable(), {{entryOf(1, 1, 1, each.first, each.last)}, {}});
    ASSERT_EQ(rules.size(), 1u);
    EXPECT_EQ(rules[0].bounds.empty(), each.isBlock);
    for (uint32_t port : {0u, each.first - 1, each.first, each.first + 1,
                          each.last - 1, each.last, each.last + 1, 0xffffu})
      EXPECT_EQ(takes(rules[0], {1ull << 24, port & 0xffff}),
                (port & 0xffff) >= each.first && (port & 0xffff) <= each.last)
          << port;
  }
}

TEST(Rules, EndWithOneThatMatchesAll) {
  TableContent content;
  content.entries = {entryOf(1, 1, 1, 0, 0xffff), entryOf(2, 0, 0, 1, 0xffff),
                     entryOf(3, 0, 0, 0, 0xffff), entryOf(4, 2, 2, 0, 0xffff)};
  auto rules = rulesOf(maskedTable(), content);
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_FALSE(rules[0].matchesAll());
  EXPECT_FALSE(rules[1].matchesAll()) << "a range without a mask";
  EXPECT_TRUE(rules[2].matchesAll());
}

TEST(Rules, ThePrefixOfAnEntryIsItsMask) {
  TableShape table;
  table.packedBits = 80;
  table.hasLength = true;
  table.slotWords = table.keyWords();
  for (auto [length, masks] :
       {std::pair(0u, Words{0, 0}), std::pair(20u, Words{~0ull << 44, 0}),
        std::pair(64u, Words{~0ull, 0}),
        std::pair(80u, Words{~0ull, ~0ull << 48})}) {
    auto rules = rulesOf(table, {{{9, {0, 0, 0, length}}}, {}});
    ASSERT_EQ(rules.size(), 1u);
    EXPECT_EQ(rules[0].masks, masks) << length;
  }
}

TEST(MaskSets, HaveTheSameMasksAndTheSameBounds) {
  TableContent content;
  content.entries = {entryOf(1, 1, 0xff, 5, 5), entryOf(2, 2, 0xff, 6, 6),
                     entryOf(3, 3, 0xf, 5, 5), entryOf(4, 4, 0xff, 7, 9),
                     entryOf(5, 5, 0xff, 7, 7)};
  auto sets = maskSetsOf(rulesOf(maskedTable(), content));
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].ranks, (std::vector<uint32_t>{0, 1, 4}));
  EXPECT_EQ(sets[1].ranks, (std::vector<uint32_t>{2}));
  EXPECT_EQ(sets[2].ranks, (std::vector<uint32_t>{3}));
  EXPECT_EQ(sets[2].boundWords, (std::vector<unsigned>{1}));
  // Values of two words, or of one and its bounds; and the rule.
  EXPECT_EQ(sets[0].usedWords(), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(sets[0].recordWords(), 3u);
  EXPECT_EQ(sets[2].usedWords(), (std::vector<unsigned>{0}));
  EXPECT_EQ(sets[2].recordWords(), 3u);
}

TEST(MaskSets, ASearchFindsEachRuleWithinTheLongest) {
  TableContent content;
  for (uint32_t i = 0; i < 100; ++i)
    content.entries.push_back(entryOf(i + 1, i * 37, 0xffff, i, i + 1));
  auto rules = rulesOf(maskedTable(), content);
  for (const MaskSet &set : maskSetsOf(rules)) {
    HashData data = hashDataOf(set, rules);
    uint64_t records = uint64_t(1) << data.recordBits;
    unsigned size = set.recordWords();
    EXPECT_GE(records, 2 * set.ranks.size());
    EXPECT_LT(records, 4 * set.ranks.size() + 2);
    ASSERT_EQ(data.words.size(), records * size);
    unsigned longest = 0;
    for (uint32_t rank : set.ranks) {
      Words values;
      for (unsigned word : set.usedWords())
        values.push_back(rules[rank].values[word]);
      uint64_t at = hashStart(values, data.factor, data.recordBits);
      unsigned reads = 1;
      uint64_t wanted = uint64_t(rank) << 32 | rules[rank].slot;
      for (;; ++reads, at = (at + 1) % records) {
        ASSERT_LT(at, records);
        uint64_t rule = data.words[at * size + size - 1];
        ASSERT_NE(rule, 0u) << "a free record ends the search";
        if (rule == wanted)
          break;
      }
      longest = std::max(longest, reads);
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(data.words[at * size + i], values[i]);
      for (size_t i = 0; i < rules[rank].bounds.size(); ++i)
        EXPECT_EQ(data.words[at * size + values.size() + i],
                  uint64_t(rules[rank].bounds[i].last) << 32 |
                      rules[rank].bounds[i].first);
    }
    EXPECT_EQ(data.longest, longest);
  }
}
