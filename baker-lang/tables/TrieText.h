// The pieces of Baker text of a multi-bit trie.

#ifndef KARAKAL_BAKER_LANG_TABLES_TRIETEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TRIETEXT_H

#include "baker-lang/tables/TrieLayout.h"

#include <functional>
#include <string>

namespace karakal::lang {

/// Statements that read a word of a node on each level, as long as it is the
/// number of a node on the next. `k0`, `k1` and so on are the key's words.
std::string trieLevelsText(const TrieLayout &trie);

/// Sums of what the levels have, before each and of all: `0, 16, 24`.
std::string
trieSumsText(const TrieLayout &trie,
             const std::function<uint64_t(const TrieLevel &)> &valueOf);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TRIETEXT_H
