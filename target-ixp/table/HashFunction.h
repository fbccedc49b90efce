// The function of the hash unit.
//
// A key of 48, 64 or 128 bits is a polynomial over GF(2), which is multiplied
// by the multiplier and reduced.
//
// Software sets the multipliers of the chip, and no document at hand gives its
// reduction polynomials. Both are our choice here (x^48 + x^28 + x^27 + x + 1,
// x^64 + x^4 + x^3 + x + 1, x^128 + x^7 + x^2 + x + 1). The polynomials are
// irreducible, so different keys have different hashes with every multiplier
// but 0. HashMultiplier.h makes multipliers that nobody can guess.

#ifndef KARAKAL_TARGET_IXP_TABLE_HASHFUNCTION_H
#define KARAKAL_TARGET_IXP_TABLE_HASHFUNCTION_H

#include <cstdint>

namespace karakal::target {

/// A key or a result, low word first.
struct HashKey {
  uint64_t low = 0;
  uint64_t high = 0;
};

/// The multiplier of a program without a hash key of its own. Shorter keys use
/// the low bits of a multiplier.
constexpr HashKey HashMultiplier{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9};

/// The reduction polynomial of keys of `bits` bits, below the leading term.
constexpr uint64_t hashPolynomial(uint32_t bits) {
  return bits == 48 ? 0x18000003 : bits == 64 ? 0x1b : 0x87;
}

/// The hash of a key of `bits` 48, 64 or 128 bits.
HashKey hashKey(HashKey key, uint32_t bits,
                HashKey multiplier = HashMultiplier);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_HASHFUNCTION_H
