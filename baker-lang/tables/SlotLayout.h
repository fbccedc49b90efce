// The words of an entry of a table.

#ifndef KARAKAL_BAKER_LANG_TABLES_SLOTLAYOUT_H
#define KARAKAL_BAKER_LANG_TABLES_SLOTLAYOUT_H

#include "ir/dialect/Tables.h"

#include <string>
#include <vector>

namespace karakal::lang {

/// The words of a slot's key: the packed bits of the fields that are exact,
/// lpm or ternary; a prefix's length; masks; ends of ranges; the priority.
struct KeyLayout {
  explicit KeyLayout(const std::vector<ir::TableKey> &keys);

  struct Field {
    unsigned number; ///< in the key as declared
    unsigned bits;
    unsigned offset; ///< of the first bit among the packed bits
  };
  std::vector<Field> packed;    ///< exact fields, then lpm or ternary ones
  std::vector<unsigned> ranges; ///< numbers of the fields that are ranges
  unsigned packedBits = 0, packedWords = 0;
  /// Where the values of the ranges are among the words that are hashed. They
  /// follow the packed ones.
  std::vector<Field> hashedRanges;
  unsigned hashedWords = 0;
  bool hasMasks = false, hasLength = false;
  unsigned bitsBeforePrefix = 0; ///< if `hasLength`
  unsigned words() const {
    return packedWords * (hasMasks ? 2 : 1) + hasLength +
           unsigned(2 * ranges.size()) + hasMasks;
  }
};

/// The field of a slot that holds field number `field` of the record.
std::string slotField(unsigned field);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_SLOTLAYOUT_H
