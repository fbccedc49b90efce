// The entries of a table as rules, free of how they are stored.
//
// The key is a list of words of 64 bits: the packed bits, then each range as a
// word of its own. A rule wants `(key & mask) == value` for all words, and some
// words between two bounds.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_RULES_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_RULES_H

#include "codegen-x86/specialize/Snapshot.h"
#include <cstdint>
#include <vector>

namespace karakal::x86 {

struct Bounds {
  unsigned word;
  uint32_t first, last;
};

struct Rule {
  uint32_t slot;
  std::vector<uint64_t> values, masks;
  /// Ranges that are no block of aligned numbers, which masks express.
  std::vector<Bounds> bounds;

  bool matchesAll() const;
};

/// Words of the key of `table`.
unsigned keyWordsOf(const TableShape &table);

/// The rules in order: the first that matches is the entry to find. Rules
/// after one that matches everything are left out.
std::vector<Rule> rulesOf(const TableShape &table, const TableContent &content);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_RULES_H
