#include "baker-lang/tables/text/TrieText.h"

#include "support/Assert.h"

#include "llvm/Support/MathExtras.h"

namespace karakal::lang {

/// The bits of the key's words that select a word of a node.
static std::string indexText(const TrieLevel &level) {
  KARAKAL_ASSERT(level.stride >= 1 && level.stride < 32, "a node has words");
  unsigned word = level.bits / 32, end = level.bits % 32 + level.stride;
  std::string mask = " & " + std::to_string((1u << level.stride) - 1);
  std::string first = "k" + std::to_string(word);
  if (end <= 32)
    return "(" + first + " >> " + std::to_string(32 - end) + mask + ")";
  return "((" + first + " << " + std::to_string(end - 32) + " | k" +
         std::to_string(word + 1) + " >> " + std::to_string(64 - end) + ")" +
         mask + ")";
}

/// Statements that read a word of a node on each level, as long as it is the
/// number of a node on the next. `k0`, `k1` and so on are the key's words.
static std::string levelsText(const TrieLayout &trie) {
  std::string text;
  for (const TrieLevel &level : trie.levels)
    text += text.empty()
                ? "u32 at = trie[" + indexText(level) + "];"
                : "\nif ((at & CHILD) == 0)\nreturn at;\nat = trie[(at & "
                  "~CHILD) + " +
                      indexText(level) + "];";
  return text;
}

/// The bits of the key before each level, and of all: `0, 16, 24, 32`.
static std::string bitsText(const TrieLayout &trie) {
  std::string text = "0";
  for (const TrieLevel &level : trie.levels)
    text += ", " + std::to_string(level.bits + level.stride);
  return text;
}

std::optional<std::string> trieText(llvm::StringRef placeholder,
                                    const TrieLayout &trie,
                                    const std::optional<WordValues> &values) {
  if (placeholder == "LEVELS")
    return levelsText(trie);
  if (placeholder == "LEVEL_BITS")
    return bitsText(trie);
  if (placeholder == "LEVEL_COUNT")
    return std::to_string(trie.levels.size());
  if (placeholder == "ROOT_WORDS")
    return std::to_string(trie.levels.front().words());
  if (placeholder == "CHUNKS")
    return std::to_string(trie.pool().chunks);
  if (placeholder == "CHUNK_BITS")
    return std::to_string(trie.pool().chunkBits);
  if (placeholder == "MAP_WORDS")
    return std::to_string(llvm::divideCeil(trie.pool().nodesMax, 32));
  if (placeholder == "WORD_OF_SLOT")
    return values ? "entries[n].word" : "n";
  if (placeholder == "LENGTH_OF_SLOT")
    return values ? "length_in(entries[n].word)"
                  : "entries[n].key[KEY_WORDS - 1]";
  if (placeholder == "LENGTH_IN_WORD")
    return values ? values->lengthInWord() : "length_of(word)";
  return std::nullopt;
}

} // namespace karakal::lang
