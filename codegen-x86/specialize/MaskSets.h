// Rules that use the same bits of the key, as a hash table.
//
// Open addressing by a multiplication. A record is 64-bit words: the values of
// the key's words that the set uses, the bounds of ranges, and the rule: its
// rank above its slot. A record whose last word is 0 is free and ends a search.
// Rules are entered in order of rank, so the first record that matches is the
// best.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_MASKSETS_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_MASKSETS_H

#include "codegen-x86/specialize/Rules.h"
#include <cstdint>
#include <vector>

namespace karakal::x86 {

/// Rules with the same masks, and with bounds of the same words.
struct MaskSet {
  std::vector<uint64_t> masks;
  std::vector<unsigned> boundWords;
  /// Ranks of its rules: their positions among all rules.
  std::vector<uint32_t> ranks;

  /// The words of the key with a mask that is not 0.
  std::vector<unsigned> usedWords() const;
  unsigned recordWords() const {
    return unsigned(usedWords().size() + boundWords.size()) + 1;
  }
};

/// The sets, in the order of their best rules.
std::vector<MaskSet> maskSetsOf(const std::vector<Rule> &rules);

struct HashData {
  std::vector<uint64_t> words;
  unsigned recordBits = 0; ///< 2 to the power of this many records
  uint64_t factor = 0;
  /// The most records that a search reads.
  unsigned longest = 0;
};

/// The number of the record where a search begins; the code of a look-up
/// computes the same.
uint64_t hashStart(const std::vector<uint64_t> &values, uint64_t factor,
                   unsigned recordBits);

HashData hashDataOf(const MaskSet &set, const std::vector<Rule> &rules);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_MASKSETS_H
