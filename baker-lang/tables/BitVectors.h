// The bit vectors of a table with masks and ranges.

#ifndef KARAKAL_BAKER_LANG_TABLES_BITVECTORS_H
#define KARAKAL_BAKER_LANG_TABLES_BITVECTORS_H

#include "baker-lang/tables/SlotLayout.h"

namespace karakal::lang {

/// The widest range of which each value has a word.
inline constexpr unsigned rangeBitsMax = 16;

/// The sizes of a table's bit vectors. A bit is a position in the order of
/// priority. A value of a byte of the packed bits has a vector, and so has a
/// class of values of a range: those that no range parts.
struct BitVectors {
  explicit BitVectors(ir::TableOp table);

  unsigned positions() const { return 32 * groups * groupWords; }
  uint64_t rowWords() const { return uint64_t(rows) * groups * groupWords; }
  /// Words of all vectors, and of what leads to them.
  uint64_t words() const;
  /// Accesses of a look-up that finds nothing, or what comes last.
  unsigned accesses() const { return groups * vectors + ranges + 2; }
  /// Instructions of a look-up, about.
  unsigned instructions() const { return vectors * (groupWords + 6); }

  unsigned bytes = 0;       ///< of the packed bits, the last one may be a part
  unsigned ranges = 0;      ///< fields that are ranges
  unsigned rangeBits = 0;   ///< of the widest of them
  unsigned rangeValues = 0; ///< of each of them
  unsigned classes = 0;     ///< the most of each of them
  /// A vector is read in groups of words, one command for each.
  unsigned groups = 0, groupWords = 0;
  unsigned rows = 0; ///< vectors of all bytes and classes
  /// What a look-up reads: one for each byte and range, and the entries in
  /// force.
  unsigned vectors = 0;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_BITVECTORS_H
