// Hash keys of command lines: the secrets that choose multipliers of the hash
// unit (HashMultiplier.h).

#ifndef KARAKAL_TARGET_IXP_TABLE_HASHSECRET_H
#define KARAKAL_TARGET_IXP_TABLE_HASHSECRET_H

#include "target-ixp/table/HashFunction.h"

#include <optional>
#include <string>

namespace karakal::target {

/// Reads a secret of 1 to 32 hexadecimal digits.
std::optional<HashKey> readHashSecret(const std::string &digits);
/// What is wrong with the text of a secret, or nothing.
std::string findHashSecretFault(const std::string &digits);
/// A secret of the system's randomness.
HashKey randomHashSecret();

/// 128 bits as 32 hexadecimal digits.
std::string hexDigitsOf(HashKey value);
/// A multiplier of 32 hexadecimal digits.
inline std::optional<HashKey> readHashMultiplier(const std::string &digits) {
  return digits.size() == 32 ? readHashSecret(digits) : std::nullopt;
}

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_HASHSECRET_H
