// Numbers and addresses of control files.

#ifndef KARAKAL_TRACES_CONTROLLITERALS_H
#define KARAKAL_TRACES_CONTROLLITERALS_H

#include <cstdint>
#include <optional>
#include <string>

namespace karakal::traces {

/// A number, a truth value or an address.
struct ControlLiteral {
  /// How it is written; the type of an argument decides later whether that
  /// fits.
  enum Form { Plain, Negative, Bool, Ipv4, Mac, Ipv6 };

  uint64_t high = 0; ///< bits 64 to 127
  int64_t low = 0;
  Form form = Plain;
};

/// The value of `text`: a number, `true`, `false`, an IPv4, IPv6 or MAC
/// address.
std::optional<ControlLiteral> parseLiteral(const std::string &text);

/// All of `text` as a number of the base, at most `max`.
std::optional<uint64_t> parseNumber(const std::string &text, unsigned base,
                                    uint64_t max);

bool isControlLetter(char c);
bool isControlDigit(char c);
/// Whether `text` is a name and a colon.
bool isNameText(const std::string &text);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_CONTROLLITERALS_H
