// Text in UTF-8: characters of several bytes, and what a terminal may show.

#ifndef KARAKAL_SUPPORT_TEXT_H
#define KARAKAL_SUPPORT_TEXT_H

#include <cstddef>
#include <string>
#include <string_view>

namespace karakal {

/// Whether the byte is inside of a character, not its first one.
inline bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// The first byte of the character that has byte `at`, or the end of the text:
/// where the text can be cut. In text that is not UTF-8, 0 if there is none.
std::size_t characterStart(std::string_view text, std::size_t at);

/// Replaces control characters except tabs and ends of lines by '?', because
/// they could change the state of the terminal.
std::string printable(std::string_view text);

/// Blanks as wide as a part of a line. Tabs stay tabs, so that the columns of
/// the two lines agree.
std::string blanksBelow(std::string_view text);

} // namespace karakal

#endif // KARAKAL_SUPPORT_TEXT_H
