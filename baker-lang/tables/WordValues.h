// The values of an entry in the words of a trie.

#ifndef KARAKAL_BAKER_LANG_TABLES_WORDVALUES_H
#define KARAKAL_BAKER_LANG_TABLES_WORDVALUES_H

#include "ir/dialect/Tables.h"

#include <optional>
#include <string>
#include <vector>

namespace karakal::lang {

/// A word of a trie that leads to an entry has the length of its prefix plus
/// one in the low bits, then its values, and a zero bit at the top. So a
/// look-up needs no access for them.
struct WordValues {
  unsigned lengthBits = 0;
  std::vector<unsigned> shifts, bits; ///< of each field of the record

  /// The expression of the word of the key at hand with the arguments `x0`,
  /// `x1` and so on, that of the length in `word`, and that of a field in `of`.
  std::string wordOfArguments() const;
  std::string lengthInWord() const;
  std::string valueOf(const std::string &of, unsigned field,
                      const std::string &type) const;
};

/// Where the words have the values of the entries of a table; nothing if they
/// do not fit, if packets write in entries, or if the default entry has values.
std::optional<WordValues> wordValues(ir::TableOp table);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_WORDVALUES_H
