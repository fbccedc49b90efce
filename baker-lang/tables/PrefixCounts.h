// The prefixes that a table is expected to hold, by length.

#ifndef KARAKAL_BAKER_LANG_TABLES_PREFIXCOUNTS_H
#define KARAKAL_BAKER_LANG_TABLES_PREFIXCOUNTS_H

#include "ir/dialect/Tables.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::lang {

/// Prefixes by length, and the nodes of their binary trie. A length counts the
/// packed bits of the key: the exact fields, then the prefix.
struct PrefixCounts {
  /// Of the prefixes counted, by length: 0 to the bits of the key.
  std::vector<double> prefixes;
  /// The different first bits of the prefixes that are longer, by their number.
  std::vector<double> nodes;
  /// Where the counts are from, for `--explain`.
  std::string source;
  /// Whether these are prefixes of this table, not those of other tables.
  bool isObserved = false;

  double count() const;
  /// The share of the prefixes that are longer than `bits`.
  double shareLonger(unsigned bits) const;
  /// At most so many nodes of `bits` bits have `entries` prefixes of this kind,
  /// if larger tables share nodes as this one does.
  double nodesFor(unsigned bits, uint64_t entries) const;
};

/// The counts of a table with a prefix: its attributes `prefix_lengths` and
/// `prefix_nodes`; otherwise those of a real routing table if the prefix has
/// the width of an address, or entries of full length that share nothing.
PrefixCounts prefixCountsOf(ir::TableOp table);

/// The arguments of one call of `add`, as control functions take them.
using EntryArguments = std::vector<uint64_t>;

/// Counts the prefixes of `added` and of the table's constant entries, and
/// sets the attributes if they are enough to tell what the table will hold.
void countPrefixes(ir::TableOp table, const std::vector<EntryArguments> &added);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_PREFIXCOUNTS_H
