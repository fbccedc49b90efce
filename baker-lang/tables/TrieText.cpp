#include "baker-lang/tables/TrieText.h"

#include "support/Assert.h"

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

std::string trieLevelsText(const TrieLayout &trie) {
  std::string text;
  for (const TrieLevel &level : trie.levels)
    text += text.empty()
                ? "u32 at = trie[" + indexText(level) + "];"
                : "\nif ((at & CHILD) == 0)\nreturn at;\nat = trie[(at & "
                  "~CHILD) + " +
                      indexText(level) + "];";
  return text;
}

std::string
trieSumsText(const TrieLayout &trie,
             const std::function<uint64_t(const TrieLevel &)> &valueOf) {
  std::string text = "0";
  uint64_t sum = 0;
  for (const TrieLevel &level : trie.levels)
    text += ", " + std::to_string(sum += valueOf(level));
  return text;
}

} // namespace karakal::lang
