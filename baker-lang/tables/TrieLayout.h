// The strides of a multi-bit trie.

#ifndef KARAKAL_BAKER_LANG_TABLES_TRIELAYOUT_H
#define KARAKAL_BAKER_LANG_TABLES_TRIELAYOUT_H

#include "baker-lang/tables/PrefixCounts.h"

namespace karakal::lang {

/// The nodes that a number of bits of the key leads to. The first level has one
/// node, the root.
struct TrieLevel {
  unsigned bits = 0;   ///< of the key before this level
  unsigned stride = 0; ///< bits that select a word of a node
  uint64_t nodes = 0;
  uint64_t words() const { return nodes << stride; }
};

/// What the nodes below the root share. A chunk has the size of the largest of
/// them and holds nodes of one level.
struct TriePool {
  unsigned chunkBits = 0; ///< of the number of its words
  unsigned nodesMax = 1;  ///< in a chunk
  uint64_t chunks = 1;    ///< at least one, so that there is an array
};

/// What a trie may cost besides its accesses.
struct TrieCosts {
  /// A prefix shorter than the root is written to many of its words.
  unsigned rootStrideMax;
  /// A level that is never read, in accesses: instructions, and the longest
  /// look-up.
  double level;
};
inline constexpr TrieCosts chipTrieCosts = {18, 1.0 / 32};
/// A level is a stage of a batch. There is memory for a root of 64 MiB, as
/// other routers on x86 have it (DIR-24-8).
inline constexpr TrieCosts hostTrieCosts = {24, 0.15};

struct TrieLayout {
  std::vector<TrieLevel> levels;
  /// Words that a look-up reads, for keys spread over the prefixes.
  double accesses = 0;
  uint64_t words() const; ///< of the nodes
  TriePool pool() const;
  /// The root and the pool, which has whole chunks for each level: so many that
  /// a level finds as many nodes as it has here, however they come and go.
  uint64_t memoryWords() const;
  /// The strides; "16-8x2" are 16, 8 and 8.
  std::string strides() const;
};

/// What the nodes of a trie must be enough for.
enum class TrieRoom {
  AnyPrefixes,     ///< any `entries` prefixes
  ExpectedPrefixes ///< `entries` prefixes of the kind that was counted
};

/// The tries of at most `wordsMax` words, the smallest first, each of which
/// needs fewer accesses than those before.
std::vector<TrieLayout> trieLayouts(const PrefixCounts &counts,
                                    uint64_t entries, TrieRoom room,
                                    uint64_t wordsMax, const TrieCosts &costs);

/// Gives all levels more nodes, by one factor, up to those that any `entries`
/// prefixes need, as long as the trie takes at most `wordsMax` words.
void addRoom(TrieLayout &trie, uint64_t entries, uint64_t wordsMax);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TRIELAYOUT_H
