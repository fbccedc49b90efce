// The strides of a multi-bit trie, by dynamic programming.
//
// A level of stride s below b bits takes nodes(b) << s words and one access of
// the keys whose prefix is longer than b bits. Srinivasan and Varghese (ACM
// TOCS 17(1), 1999, controlled prefix expansion) minimize the words for a
// number of levels:
//
//   words(b, k) = min over s of nodes(b) << s + words(b + s, k - 1)
//
// Here the words are given and the expected accesses are minimized, because
// long prefixes are rare and their levels seldom read:
//
//   accesses(b, w) = min over s of
//       share longer than b + accesses(b + s, w - (nodes(b) << s))
//
// Words are counted in steps of a 256th of what there is, rounded up.

#include "baker-lang/tables/TrieLayout.h"

#include "support/Assert.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace karakal::lang {

namespace {

constexpr unsigned strideMax = 12;
/// Steps in which words are counted. A key of 640 bits has at least 53 levels.
constexpr unsigned steps = 256;

/// Nodes beyond those expected, because prefixes come and go: a share and a
/// number.
struct Margin {
  double share, nodes;
};
constexpr Margin observedMargin = {0.125, 32}, otherMargin = {0.25, 64};

class StrideSearch {
public:
  StrideSearch(const PrefixCounts &counts, uint64_t entries, TrieRoom room,
               uint64_t wordsMax, const TrieCosts &costs);
  std::vector<TrieLayout> layouts() const;

private:
  struct Choice {
    double cost = std::numeric_limits<double>::infinity();
    uint16_t stride = 0, used = 0; ///< steps of this level
  };
  Choice &at(unsigned bits, unsigned left) {
    return choices[bits * (steps + 1) + left];
  }
  const Choice &at(unsigned bits, unsigned left) const {
    return choices[bits * (steps + 1) + left];
  }
  void choose(unsigned bits);
  TrieLayout layout(unsigned left) const;

  const TrieCosts &costs;
  unsigned keyBits;
  double stepWords;
  std::vector<uint64_t> nodes;
  std::vector<double> shares; ///< of look-ups that reach a level
  std::vector<Choice> choices;
};

StrideSearch::StrideSearch(const PrefixCounts &counts, uint64_t entries,
                           TrieRoom room, uint64_t wordsMax,
                           const TrieCosts &costs)
    : costs(costs), keyBits(unsigned(counts.nodes.size())),
      stepWords(std::max(1.0, double(wordsMax) / steps)),
      choices((keyBits + 1) * (steps + 1)) {
  const Margin &margin = counts.isObserved ? observedMargin : otherMargin;
  for (unsigned bits = 0; bits < keyBits; ++bits) {
    double most = std::min(std::ldexp(1.0, int(bits)), double(entries));
    double wanted = room == TrieRoom::AnyPrefixes
                        ? most
                        : counts.nodesFor(bits, entries) * (1 + margin.share) +
                              margin.nodes;
    nodes.push_back(uint64_t(std::ceil(std::min(most, wanted))));
    shares.push_back(bits == 0 ? 1 : counts.shareLonger(bits));
  }
  for (unsigned left = 0; left <= steps; ++left)
    at(keyBits, left).cost = 0;
  for (unsigned bits = keyBits; bits-- > 0;)
    choose(bits);
}

void StrideSearch::choose(unsigned bits) {
  unsigned strides =
      std::min(keyBits - bits, bits == 0 ? costs.rootStrideMax : strideMax);
  for (unsigned stride = 1; stride <= strides; ++stride) {
    double words = std::ldexp(double(nodes[bits]), int(stride));
    if (words > stepWords * steps)
      return;
    auto used = uint16_t(std::ceil(words / stepWords));
    for (unsigned left = used; left <= steps; ++left) {
      double cost =
          shares[bits] + costs.level + at(bits + stride, left - used).cost;
      if (cost < at(bits, left).cost)
        at(bits, left) = {cost, uint16_t(stride), used};
    }
  }
}

TrieLayout StrideSearch::layout(unsigned left) const {
  TrieLayout made;
  for (unsigned bits = 0; bits < keyBits;) {
    const Choice &choice = at(bits, left);
    KARAKAL_ASSERT(choice.stride != 0, "a trie that fits has strides");
    made.levels.push_back({bits, choice.stride, nodes[bits]});
    made.accesses += shares[bits];
    bits += choice.stride;
    left -= choice.used;
  }
  return made;
}

std::vector<TrieLayout> StrideSearch::layouts() const {
  std::vector<TrieLayout> made;
  double best = std::numeric_limits<double>::infinity();
  for (unsigned left = 0; left <= steps; ++left) {
    if (at(0, left).cost >= best)
      continue;
    best = at(0, left).cost;
    made.push_back(layout(left));
  }
  return made;
}

} // namespace

uint64_t TrieLayout::words() const {
  uint64_t sum = 0;
  for (const TrieLevel &level : levels)
    sum += level.words();
  return sum;
}

TriePool TrieLayout::pool() const {
  TriePool made;
  if (levels.size() < 2)
    return made;
  auto [least, most] = std::minmax_element(
      levels.begin() + 1, levels.end(),
      [](const auto &a, const auto &b) { return a.stride < b.stride; });
  made = {most->stride, 1u << (most->stride - least->stride), 0};
  for (size_t i = 1; i < levels.size(); ++i)
    made.chunks +=
        llvm::divideCeil(levels[i].words(), uint64_t(1) << made.chunkBits);
  return made;
}

void addRoom(TrieLayout &trie, uint64_t entries, uint64_t wordsMax) {
  KARAKAL_ASSERT(entries != 0, "a table has entries");
  while (true) {
    TrieLayout larger = trie;
    bool isLarger = false;
    for (TrieLevel &level : larger.levels) {
      uint64_t any = level.bits < 63
                         ? std::min(uint64_t(1) << level.bits, entries)
                         : entries;
      uint64_t nodes = std::max(level.nodes, std::min(any, 2 * level.nodes));
      isLarger |= nodes != level.nodes;
      level.nodes = nodes;
    }
    if (!isLarger || larger.memoryWords() > wordsMax)
      return;
    trie = larger;
  }
}

uint64_t TrieLayout::memoryWords() const {
  KARAKAL_ASSERT(!levels.empty(), "a trie has a root");
  TriePool shared = pool();
  return levels.front().words() + (shared.chunks << shared.chunkBits);
}

std::string TrieLayout::strides() const {
  std::string text;
  for (size_t i = 0; i < levels.size();) {
    size_t end = i;
    while (end < levels.size() && levels[end].stride == levels[i].stride)
      ++end;
    text += (text.empty() ? "" : "-") + std::to_string(levels[i].stride);
    if (end - i > 1)
      text += "x" + std::to_string(end - i);
    i = end;
  }
  return text;
}

std::vector<TrieLayout> trieLayouts(const PrefixCounts &counts,
                                    uint64_t entries, TrieRoom room,
                                    uint64_t wordsMax, const TrieCosts &costs) {
  KARAKAL_ASSERT(!counts.nodes.empty() && entries != 0,
                 "a table has a key and entries");
  return StrideSearch(counts, entries, room, wordsMax, costs).layouts();
}

} // namespace karakal::lang
