// The pieces of Baker text of a multi-bit trie.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_TRIETEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_TRIETEXT_H

#include "baker-lang/tables/TrieLayout.h"
#include "baker-lang/tables/WordValues.h"

#include <optional>
#include <string>

namespace karakal::lang {

/// What replaces a placeholder of the trie's template, if it is one of them.
/// `values`: where its words have the values of the entries, if they do.
std::optional<std::string> trieText(llvm::StringRef placeholder,
                                    const TrieLayout &trie,
                                    const std::optional<WordValues> &values);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_TRIETEXT_H
