// The entries of a table as rules, free of how they are stored.

#include "codegen-x86/specialize/Rules.h"
#include "support/Assert.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

namespace karakal::x86 {

bool Rule::matchesAll() const {
  return bounds.empty() && std::all_of(masks.begin(), masks.end(),
                                       [](uint64_t mask) { return mask == 0; });
}

static unsigned packedKeyWords(const TableShape &table) {
  return (table.packedBits + 63) / 64;
}

unsigned keyWordsOf(const TableShape &table) {
  return packedKeyWords(table) + unsigned(table.ranges.size());
}

/// Joins words of 32 bits to words of 64; a missing last one is 0.
static std::vector<uint64_t> joined(const uint32_t *words, unsigned count) {
  std::vector<uint64_t> wide((count + 1) / 2);
  for (unsigned i = 0; i < count; ++i)
    wide[i / 2] |= uint64_t(words[i]) << (i % 2 == 0 ? 32 : 0);
  return wide;
}

/// Ones in the first `bits` of `count` words.
static std::vector<uint64_t> firstBits(unsigned bits, unsigned count) {
  std::vector<uint64_t> masks(count);
  for (unsigned i = 0; i < count; ++i) {
    unsigned here = bits > 64 * i ? std::min(bits - 64 * i, 64u) : 0;
    masks[i] = here == 0 ? 0 : ~uint64_t(0) << (64 - here);
  }
  return masks;
}

/// Adds a range as a mask, or as bounds if it is no aligned block.
static void addRange(Rule &rule, unsigned bits, uint32_t first, uint32_t last) {
  uint32_t ones = ~uint32_t(0) >> (32 - bits);
  uint32_t inside = first ^ last; // 0…01…1 if the block is aligned
  bool isBlock = (inside & (inside + 1)) == 0 && (first & inside) == 0 &&
                 (last & inside) == inside;
  unsigned word = unsigned(rule.masks.size());
  rule.masks.push_back(isBlock ? ones & ~inside : 0);
  rule.values.push_back(isBlock ? first : 0);
  if (!isBlock)
    rule.bounds.push_back({word, first, last});
}

std::vector<Rule> rulesOf(const TableShape &table,
                          const TableContent &content) {
  unsigned words = table.packedWords(), wide = packedKeyWords(table);
  std::vector<Rule> rules;
  for (const TableEntry &entry : content.entries) {
    KARAKAL_ASSERT(entry.words.size() == table.slotWords, "a whole slot");
    const uint32_t *key = entry.words.data();
    Rule rule;
    rule.slot = entry.slot;
    rule.values = joined(key, words);
    if (table.hasMasks)
      rule.masks = joined(key + words, words);
    else if (table.hasLength)
      rule.masks = firstBits(key[table.keyWords() - 1], wide);
    else
      rule.masks = firstBits(table.packedBits, wide);
    const uint32_t *range = key + 2 * words;
    for (size_t i = 0; i < table.ranges.size(); ++i)
      addRange(rule, table.ranges[i].bits, range[2 * i], range[2 * i + 1]);
    bool isLast = rule.matchesAll();
    rules.push_back(std::move(rule));
    if (isLast)
      break;
  }
  return rules;
}

} // namespace karakal::x86
