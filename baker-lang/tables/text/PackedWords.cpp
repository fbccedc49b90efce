#include "baker-lang/tables/text/PackedWords.h"

#include <algorithm>

namespace karakal::lang {

std::string numbered(const char *letter, unsigned number) {
  return letter + std::to_string(number);
}

std::string packedWord(const std::vector<Part> &parts, unsigned word) {
  std::string text;
  unsigned begin = 32 * word, end = begin + 32;
  for (const Part &part : parts) {
    unsigned from = std::max(begin, part.offset);
    unsigned to = std::min(end, part.offset + part.bits);
    if (from >= to)
      continue;
    unsigned right = part.offset + part.bits - to, left = end - to;
    std::string shifted =
        right == 0 ? part.name : part.name + " >> " + std::to_string(right);
    text += (text.empty() ? "" : " | ") + ("(u32)(" + shifted + ")") +
            (left == 0 ? "" : " << " + std::to_string(left));
  }
  return text.empty() ? "0" : text;
}

} // namespace karakal::lang
