// The strides and the text of a path-compressed trie.
//
// Of nodes(b) nodes that a trie without compression has after b bits, those
// stay in which one of the ends(b) prefixes ends, or which have more than one
// node below them. With stride s there are nodes(b + s) below and as many
// leaves as prefixes end, so at most
//
//   ends(b, s) + nodes(b + s) + ends(b, s) - nodes(b)
//
// stay. A look-up that gets so far meets such a node with the same share.

#include "baker-lang/tables/CompressedTrie.h"

#include "support/Assert.h"

#include <algorithm>

namespace karakal::lang {

/// The widest key that look-ups shift as a whole.
static constexpr unsigned keyBitsMax = 128;
static constexpr unsigned strideMin = 3, strideMax = 6;

static double accessesOf(const PrefixCounts &counts, unsigned keyBits,
                         unsigned rootBits, unsigned stride) {
  double accesses = 1;
  for (unsigned bits = rootBits; bits < keyBits; bits += stride) {
    double all = counts.nodes[bits];
    if (all == 0)
      break;
    double ends = 0;
    for (unsigned length = bits + 1; length <= bits + stride; ++length)
      ends += counts.prefixes[length];
    double below = bits + stride < keyBits ? counts.nodes[bits + stride] : 0;
    double kept = ends + std::max(0.0, below + ends - all);
    accesses += counts.shareLonger(bits) * std::min(1.0, kept / all);
  }
  return accesses;
}

uint64_t CompressedTrie::memoryWords() const {
  // A root that is smaller than a node leaves the nodes aligned.
  return (uint64_t(1) << std::max(rootBits, stride)) + (nodes << stride);
}

std::string CompressedTrie::strides() const {
  return std::to_string(rootBits) + "-" + std::to_string(stride) + "x" +
         std::to_string(levels() - 1);
}

std::optional<CompressedTrie> compressedTrie(const PrefixCounts &counts,
                                             uint64_t entries,
                                             uint64_t wordsMax, double worth) {
  KARAKAL_ASSERT(entries != 0 && worth > 0, "a table has entries");
  auto keyBits = unsigned(counts.nodes.size());
  if (keyBits > keyBitsMax)
    return std::nullopt;
  std::optional<CompressedTrie> best;
  double bestCost = 0;
  for (unsigned stride = strideMin; stride <= strideMax; ++stride)
    for (unsigned rootBits = 1;
         rootBits <= std::min(hostTrieCosts.rootStrideMax, keyBits - 1);
         ++rootBits) {
      CompressedTrie trie = {keyBits, rootBits, stride, 2 * entries + 4};
      if ((keyBits - rootBits) % stride != 0 ||
          trie.levels() > compressedLevelsMax || trie.memoryWords() > wordsMax)
        continue;
      trie.accesses = accessesOf(counts, keyBits, rootBits, stride);
      double cost = trie.accesses + double(trie.memoryWords()) / worth;
      if (best && cost >= bestCost)
        continue;
      best = trie;
      bestCost = cost;
    }
  return best;
}

/// The packed words of a key as one number.
static std::string whole(unsigned keyBits, llvm::StringRef before,
                         llvm::StringRef after) {
  unsigned words = (keyBits + 31) / 32;
  if (words == 1)
    return (before + "0" + after).str();
  unsigned bits = words == 2 ? 64 : 128;
  std::string text;
  for (unsigned i = 0; i < words; ++i)
    text += (i == 0 ? "" : " | ") + ("(u" + std::to_string(bits) + ")") +
            (before + std::to_string(i) + after).str() + " << " +
            std::to_string(bits - 32 * (i + 1));
  return text;
}

std::optional<std::string> compressedTrieText(llvm::StringRef placeholder,
                                              const CompressedTrie &trie) {
  std::string bits = trie.keyBits <= 32   ? "32"
                     : trie.keyBits <= 64 ? "64"
                                          : "128";
  if (placeholder == "ROOT_BITS")
    return std::to_string(trie.rootBits);
  if (placeholder == "STRIDE")
    return std::to_string(trie.stride);
  if (placeholder == "LEVEL_COUNT")
    return std::to_string(trie.levels());
  if (placeholder == "WHOLE")
    return "u" + bits;
  if (placeholder == "WHOLE_BITS")
    return bits;
  if (placeholder == "WHOLE_OF_PARAMETERS")
    return whole(trie.keyBits, "k", "");
  if (placeholder == "WHOLE_OF_SLOT")
    return whole(trie.keyBits, "entries[n].key[", "]");
  return std::nullopt;
}

} // namespace karakal::lang
