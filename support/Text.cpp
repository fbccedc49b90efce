#include "support/Text.h"

#include <algorithm>

namespace karakal {

std::size_t characterStart(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && isContinuation(text[at]))
    --at;
  return at;
}

std::string printable(std::string_view text) {
  std::string result(text);
  auto isControl = [](unsigned char c) {
    return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
  };
  std::replace_if(result.begin(), result.end(), isControl, '?');
  return result;
}

std::string blanksBelow(std::string_view text) {
  std::string blanks;
  for (char c : text)
    if (!isContinuation(c))
      blanks += c == '\t' ? '\t' : ' ';
  return blanks;
}

} // namespace karakal
