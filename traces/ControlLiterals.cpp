// Numbers and addresses of control files.
//
// How a literal is written is kept, so that `-1` is refused for an unsigned
// parameter and `0xffffffffffffffff` for a signed one, though both are the same
// 64 bits.

#include "traces/ControlLiterals.h"

#include "support/Error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

using namespace karakal;
using namespace karakal::traces;

bool karakal::traces::isControlLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool karakal::traces::isControlDigit(char c) { return c >= '0' && c <= '9'; }

bool karakal::traces::isNameText(const std::string &text) {
  if (text.size() < 2 || text.back() != ':' || !isControlLetter(text[0]))
    return false;
  return std::all_of(text.begin(), text.end() - 1, [](char c) {
    return isControlLetter(c) || isControlDigit(c);
  });
}

/// The value of a digit of any base up to 16, or 16.
static unsigned digitValue(char c) {
  if (isControlDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 16;
}

std::optional<uint64_t> karakal::traces::parseNumber(const std::string &text,
                                                     unsigned base,
                                                     uint64_t max) {
  KARAKAL_ASSERT(base >= 2 && base <= 16, "a base with digits");
  uint64_t value = 0;
  if (text.empty())
    return std::nullopt;
  for (char c : text) {
    const unsigned digit = digitValue(c);
    if (digit >= base || value > (max - digit) / base)
      return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

/// `count` numbers of one byte each between separators, first most significant.
static std::optional<uint64_t> bytesBetween(const std::string &text,
                                            char separator, unsigned base,
                                            unsigned count) {
  uint64_t value = 0;
  std::size_t begin = 0;
  for (unsigned index = 0; index < count; ++index) {
    const std::size_t found = text.find(separator, begin);
    const bool last = index + 1 == count;
    if ((found == std::string::npos) != last)
      return std::nullopt;
    const std::string part = text.substr(begin, found - begin);
    const std::optional<uint64_t> byte = parseNumber(part, base, 255);
    if (!byte || part.size() > (base == 16 ? 2 : 3))
      return std::nullopt;
    value = value << 8 | *byte;
    begin = found + 1;
  }
  return value;
}

/// An IPv6 address as RFC 4291 section 2.2 writes it.
static std::optional<ControlLiteral> ipv6(const std::string &text) {
  std::array<uint8_t, 16> bytes;
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1)
    return std::nullopt;
  uint64_t high = 0, low = 0;
  for (unsigned i = 0; i < 8; ++i) {
    high = high << 8 | bytes[i];
    low = low << 8 | bytes[8 + i];
  }
  return ControlLiteral{high, static_cast<int64_t>(low), ControlLiteral::Ipv6};
}

std::optional<ControlLiteral>
karakal::traces::parseLiteral(const std::string &text) {
  if (text.find(':') != std::string::npos) {
    if (auto mac = bytesBetween(text, ':', 16, 6))
      return ControlLiteral{0, static_cast<int64_t>(*mac), ControlLiteral::Mac};
    return ipv6(text);
  }
  if (text.find('.') != std::string::npos) {
    if (auto address = bytesBetween(text, '.', 10, 4))
      return ControlLiteral{0, static_cast<int64_t>(*address),
                            ControlLiteral::Ipv4};
    return std::nullopt;
  }
  if (text == "true" || text == "false")
    return ControlLiteral{0, text == "true", ControlLiteral::Bool};
  const bool negative = text[0] == '-';
  std::string digits = text.substr(negative);
  const bool hex = digits.rfind("0x", 0) == 0 || digits.rfind("0X", 0) == 0;
  if (hex)
    digits = digits.substr(2);
  const uint64_t max = negative ? uint64_t(1) << 63 : UINT64_MAX;
  const std::optional<uint64_t> value = parseNumber(digits, hex ? 16 : 10, max);
  if (!value)
    return std::nullopt;
  const bool below = negative && *value != 0;
  return ControlLiteral{0, static_cast<int64_t>(below ? 0 - *value : *value),
                        below ? ControlLiteral::Negative
                              : ControlLiteral::Plain};
}
