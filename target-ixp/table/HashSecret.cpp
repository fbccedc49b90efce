// Hash keys of command lines.

#include "target-ixp/table/HashSecret.h"

#include <cinttypes>
#include <cstdio>
#include <random>

namespace karakal::target {

std::optional<HashKey> readHashSecret(const std::string &digits) {
  constexpr size_t digitsMax = 32;
  if (digits.empty() || digits.size() > digitsMax)
    return std::nullopt;
  HashKey secret;
  for (char character : digits) {
    uint64_t digit;
    if (character >= '0' && character <= '9')
      digit = uint64_t(character - '0');
    else if (character >= 'a' && character <= 'f')
      digit = uint64_t(character - 'a') + 10;
    else if (character >= 'A' && character <= 'F')
      digit = uint64_t(character - 'A') + 10;
    else
      return std::nullopt;
    secret.high = secret.high << 4 | secret.low >> 60;
    secret.low = secret.low << 4 | digit;
  }
  return secret;
}

std::string findHashSecretFault(const std::string &digits) {
  return readHashSecret(digits)
             ? ""
             : "not a key of 1 to 32 hexadecimal digits: " + digits;
}

HashKey randomHashSecret() {
  std::random_device system;
  auto word = [&] { return uint64_t(system()) << 32 | system(); };
  return {word(), word()};
}

std::string hexDigitsOf(HashKey value) {
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, value.high,
                value.low);
  return digits;
}

} // namespace karakal::target
