#include "support/Printable.h"

#include <algorithm>

std::string karakal::printable(std::string_view text) {
  std::string result(text);
  auto isControl = [](unsigned char c) {
    return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
  };
  std::replace_if(result.begin(), result.end(), isControl, '?');
  return result;
}
