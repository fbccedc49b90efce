// A path-compressed trie: a node only where prefixes end or part.

#ifndef KARAKAL_BAKER_LANG_TABLES_COMPRESSEDTRIE_H
#define KARAKAL_BAKER_LANG_TABLES_COMPRESSEDTRIE_H

#include "baker-lang/tables/TrieLayout.h"

#include <optional>

namespace karakal::lang {

struct CompressedTrie {
  unsigned keyBits = 0;
  unsigned rootBits = 0; ///< bits that select a word of the root
  unsigned stride = 0;   ///< bits that select a word of any other node
  uint64_t nodes = 0;    ///< below the root; enough for any prefixes
  /// Words that a look-up reads, for keys spread over the prefixes, before the
  /// slot.
  double accesses = 0;

  /// Levels with the root's; the stride divides the bits after the root.
  unsigned levels() const { return 1 + (keyBits - rootBits) / stride; }
  uint64_t memoryWords() const;
  /// The strides; "24-4x26" are 24 and then up to 26 times 4.
  std::string strides() const;
};

/// The most levels: a word has 5 bits for the number of one.
inline constexpr unsigned compressedLevelsMax = 32;

/// Of the tries of at most `wordsMax` words the one with the fewest accesses,
/// one of which is worth `worth` words; nothing if none can have the key or
/// fits.
std::optional<CompressedTrie> compressedTrie(const PrefixCounts &counts,
                                             uint64_t entries,
                                             uint64_t wordsMax, double worth);

/// The replacement of a placeholder that only this template has.
std::optional<std::string> compressedTrieText(llvm::StringRef placeholder,
                                              const CompressedTrie &trie);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_COMPRESSEDTRIE_H
