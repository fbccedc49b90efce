#include "baker-lang/syntax/Literals.h"

#include "support/Error.h"

namespace karakal::lang {

/// The value of a hexadecimal digit; 99 for any other character.
static unsigned digitValue(char c) {
  if (c >= '0' && c <= '9')
    return unsigned(c - '0');
  if (c >= 'a' && c <= 'f')
    return unsigned(c - 'a' + 10);
  if (c >= 'A' && c <= 'F')
    return unsigned(c - 'A' + 10);
  return 99;
}

IntegerLiteral parseInteger(const std::string &token) {
  KARAKAL_ASSERT(!token.empty() && digitValue(token[0]) < 10,
                 "a number begins with a digit");
  IntegerLiteral literal;
  auto fail = [&](const std::string &why) {
    return IntegerLiteral{0, "'" + token + "' is not a number: " + why, false};
  };
  unsigned base = 10;
  size_t first = 0;
  if (token.size() > 1 && token[0] == '0') {
    char prefix = token[1];
    if (prefix != 'x' && prefix != 'X' && prefix != 'b' && prefix != 'B')
      return fail("Baker has no octal numbers; write it without leading zeros, "
                  "in hexadecimal (0x…) or in binary (0b…)");
    base = prefix == 'x' || prefix == 'X' ? 16 : 2;
    first = 2;
  }
  if (first == token.size())
    return fail("it has no digits");
  for (char c : token.substr(first)) {
    unsigned digit = digitValue(c);
    if (digit >= base)
      return fail(std::string("'") + c + "' is no digit of base " +
                  std::to_string(base));
    literal.isTooBig |= literal.value > (UINT64_MAX - digit) / base;
    literal.value = literal.value * base + digit;
  }
  if (literal.isTooBig)
    literal.error = "'" + token + "' needs over 64 bits";
  return literal;
}

/// The character that a backslash followed by `c` stands for, if any.
static std::optional<char> escaped(char c) {
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case '0':
    return '\0';
  case '\\':
  case '\'':
  case '"':
    return c;
  default:
    return std::nullopt;
  }
}

std::optional<char> parseCharacter(const std::string &token) {
  KARAKAL_ASSERT(token.size() >= 2, "a character literal has two quotes");
  std::string inside = token.substr(1, token.size() - 2);
  if (inside.size() == 1 && static_cast<unsigned char>(inside[0]) < 0x80)
    return inside[0];
  if (inside.size() == 2 && inside[0] == '\\')
    return escaped(inside[1]);
  return std::nullopt;
}

StringLiteral parseString(const std::string &token) {
  KARAKAL_ASSERT(isTerminatedString(token), "the string has no end");
  StringLiteral literal;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    std::optional<char> c = token[i];
    if (token[i] == '\\')
      c = escaped(token[++i]);
    literal.hasBadEscape |= !c;
    literal.text += c.value_or('?');
  }
  return literal;
}

bool isTerminatedString(const std::string &token) {
  if (token.size() < 2 || token.back() != '"')
    return false;
  size_t last = token.find_last_not_of('\\', token.size() - 2);
  size_t backslashCount = token.size() - 2 - last;
  return backslashCount % 2 == 0;
}

} // namespace karakal::lang
