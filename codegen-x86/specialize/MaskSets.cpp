// Rules that use the same bits of the key, as a hash table.

#include "codegen-x86/specialize/MaskSets.h"
#include "support/Assert.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

namespace karakal::x86 {

std::vector<unsigned> MaskSet::usedWords() const {
  std::vector<unsigned> used;
  for (unsigned i = 0; i < masks.size(); ++i)
    if (masks[i] != 0)
      used.push_back(i);
  return used;
}

std::vector<MaskSet> maskSetsOf(const std::vector<Rule> &rules) {
  std::vector<MaskSet> sets;
  std::map<std::pair<std::vector<uint64_t>, std::vector<unsigned>>, size_t>
      known;
  for (uint32_t rank = 0; rank < rules.size(); ++rank) {
    std::vector<unsigned> boundWords;
    for (const Bounds &bounds : rules[rank].bounds)
      boundWords.push_back(bounds.word);
    auto [at, isNew] =
        known.try_emplace({rules[rank].masks, boundWords}, sets.size());
    if (isNew)
      sets.push_back({rules[rank].masks, boundWords, {}});
    sets[at->second].ranks.push_back(rank);
  }
  return sets;
}

uint64_t hashStart(const std::vector<uint64_t> &values, uint64_t factor,
                   unsigned recordBits) {
  uint64_t mixed = 0;
  for (uint64_t value : values) {
    mixed = (mixed ^ value) * factor;
    mixed ^= mixed >> 32;
  }
  return (mixed * factor) >> (64 - recordBits);
}

/// Enters all rules; `factor` decides where.
static HashData enter(const MaskSet &set, const std::vector<Rule> &rules,
                      uint64_t factor) {
  HashData data;
  data.factor = factor;
  data.recordBits =
      std::max(1u, llvm::Log2_64_Ceil(2 * uint64_t(set.ranks.size())));
  std::vector<unsigned> used = set.usedWords();
  unsigned size = set.recordWords();
  uint64_t records = uint64_t(1) << data.recordBits;
  data.words.resize(records * size);
  for (uint32_t rank : set.ranks) {
    const Rule &rule = rules[rank];
    std::vector<uint64_t> values;
    for (unsigned word : used)
      values.push_back(rule.values[word]);
    uint64_t at = hashStart(values, factor, data.recordBits);
    unsigned reads = 1;
    for (; data.words[at * size + size - 1] != 0; ++reads)
      at = (at + 1) & (records - 1);
    data.longest = std::max(data.longest, reads);
    for (const Bounds &bounds : rule.bounds)
      values.push_back(uint64_t(bounds.last) << 32 | bounds.first);
    values.push_back(uint64_t(rank) << 32 | rule.slot);
    std::copy(values.begin(), values.end(), data.words.begin() + at * size);
  }
  return data;
}

HashData hashDataOf(const MaskSet &set, const std::vector<Rule> &rules) {
  KARAKAL_ASSERT(!set.ranks.empty(), "a set has rules");
  // Odd numbers without a pattern: the digits of the golden ratio, of e - 2 and
  // of pi - 3.
  HashData best;
  for (uint64_t factor :
       {0x9e3779b97f4a7c15u, 0xb7e151628aed2a6bu, 0x243f6a8885a308d3u}) {
    HashData data = enter(set, rules, factor);
    if (best.words.empty() || data.longest < best.longest)
      best = std::move(data);
  }
  return best;
}

} // namespace karakal::x86
