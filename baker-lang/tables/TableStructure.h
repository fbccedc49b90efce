// How the entries of a table are found.

#ifndef KARAKAL_BAKER_LANG_TABLES_TABLESTRUCTURE_H
#define KARAKAL_BAKER_LANG_TABLES_TABLESTRUCTURE_H

#include "baker-lang/tables/CompressedTrie.h"
#include "baker-lang/tables/TrieLayout.h"
#include "baker-lang/tables/WordValues.h"
#include "ir/dialect/Tables.h"

namespace karakal::lang {

enum class StructureKind {
  Direct,         ///< the key is the number of its slot
  Index,          ///< the key is the number of the word that has its slot
  Buckets,        ///< hash table, one burst reads a bucket
  Hash,           ///< open addressing by the hash unit
  Trie,           ///< a multi-bit trie of slot numbers
  CompressedTrie, ///< the same without nodes in which nothing ends or parts
  List,           ///< a list of slots in order of priority
  BitVectors,     ///< for each byte of the key the entries that match it
  Tuples,         ///< for each combination of masks a search by hash
};

/// A structure with the numbers that its template needs.
struct TableStructure {
  StructureKind kind = StructureKind::Hash;
  /// Direct, Index: the keys that there are.
  uint64_t keys = 0;
  /// Buckets; Hash: slots; else buckets of the core.
  uint64_t slots = 0;
  TrieLayout trie;                  ///< Trie
  std::optional<WordValues> values; ///< Trie: if its words have the values
  lang::CompressedTrie compressed;  ///< CompressedTrie
};

/// The most tuples in a table, how many of them have the masks of their entries
/// whatever these are, and the most entries in a chain of its hash table.
inline constexpr uint64_t tuplesMax = 64, ownTuplesMax = 8, tupleChainMax = 64;

/// The name of a kind, which is that of its template.
const char *nameOf(StructureKind kind);

/// Whether slots have no place of their own, so that any free one will do.
bool hasDenseSlots(StructureKind kind);

/// Where a table is used.
struct TableUse {
  bool forSpecialization = false; ///< look-ups must return slots, not values
  bool onHost = false;            ///< in the memory of a host, with caches
};

/// Chooses the structure of a table, and explains the choice and the refusals.
/// Reports a table that no structure can hold and returns nothing.
std::optional<TableStructure> chooseStructure(ir::TableOp table, TableUse use);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TABLESTRUCTURE_H
