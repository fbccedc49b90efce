// How the entries of a table are found.

#ifndef KARAKAL_BAKER_LANG_TABLES_TABLESTRUCTURE_H
#define KARAKAL_BAKER_LANG_TABLES_TABLESTRUCTURE_H

#include "ir/dialect/Tables.h"

namespace karakal::lang {

enum class StructureKind {
  Direct,  ///< the key is the number of its slot
  Buckets, ///< hash table, one burst reads a bucket
  Hash,    ///< open addressing by the hash unit
  Trie,    ///< a multi-bit trie of slot numbers
  List,    ///< a list of slots in order of priority
};

/// A structure with the numbers that its template needs.
struct TableStructure {
  StructureKind kind = StructureKind::Hash;
  uint64_t slots =
      0; ///< Direct: keys; Buckets; Hash: slots; else buckets of the core
  uint64_t nodes = 0;    ///< Trie
  unsigned rootBits = 0; ///< Trie
  unsigned depth = 0;    ///< Trie: levels below the root
};

/// The name of a kind, which is that of its template.
const char *nameOf(StructureKind kind);

/// Chooses the structure of a table, and explains the choice and the refusals.
/// Reports a table that no structure can hold and returns nothing.
/// `readsBuckets`: a command of the target reads a bucket.
std::optional<TableStructure> chooseStructure(ir::TableOp table,
                                              bool readsBuckets);

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
  bool hasMasks = false, hasLength = false;
  unsigned bitsBeforePrefix = 0; ///< if `hasLength`
  unsigned words() const {
    return packedWords * (hasMasks ? 2 : 1) + hasLength +
           unsigned(2 * ranges.size()) + hasMasks;
  }
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TABLESTRUCTURE_H
