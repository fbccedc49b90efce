// The values of number, character and string literals.
//
// A literal is given as its token's text, with prefix and quotes.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_LITERALS_H
#define KARAKAL_BAKER_LANG_SYNTAX_LITERALS_H

#include <cstdint>
#include <optional>
#include <string>

namespace karakal::lang {

struct IntegerLiteral {
  uint64_t value = 0;
  std::string error; ///< message; empty if the literal is correct
  bool isTooBig = false;
};

/// Parses decimal, `0x…` and `0b…` literals of up to 64 bits.
IntegerLiteral parseInteger(const std::string &token);

/// The escape sequences, for messages.
inline constexpr const char *escapeList = "\\n \\t \\r \\0 \\\\ \\' \\\"";

/// The value of a character literal, or none if it is not one ASCII character.
std::optional<char> parseCharacter(const std::string &token);

struct StringLiteral {
  std::string text; ///< '?' in place of an unknown escape
  bool hasBadEscape = false;
};

/// Requires that the string is terminated.
StringLiteral parseString(const std::string &token);

/// True if the string literal ends with a quote. The lexer also accepts one
/// that ends with its line.
bool isTerminatedString(const std::string &token);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_LITERALS_H
