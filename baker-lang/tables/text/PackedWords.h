// Names and words of the key, as text.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_PACKEDWORDS_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_PACKEDWORDS_H

#include <string>
#include <vector>

namespace karakal::lang {

/// A name such as `k0`.
std::string numbered(const char *letter, unsigned number);

/// A number that is placed among the packed bits of the key.
struct Part {
  std::string name;
  unsigned bits, offset;
};

/// The expression of word `word` of the packed bits.
std::string packedWord(const std::vector<Part> &parts, unsigned word);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_PACKEDWORDS_H
