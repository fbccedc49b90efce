// Multipliers of the hash unit that a secret chooses.
//
// Whoever knows the multiplier can compute keys with the same hash, and fill
// one chain of a table with them. Under a random multiplier two given keys have
// the same b bits of their hashes with probability 2^-b, whichever keys they
// are, so the secret is all that it takes:
//
//   multiplierOf(secret) = the first of a sequence of numbers, made of the
//                          secret, that spreads successive keys
//
// Not each number does. The hashes of 2^b keys that differ in b adjacent bits
// are sums of b products. In a window of b bits these have a rank of b - d, and
// 2^d keys share each hash. One number of 40 has no d above 3 for keys of 48
// and 64 bits, whatever b, the place of the bits and the window that a table
// takes; for keys of 128 bits none of 400 had. There 4 is enough, as with
// HashMultiplier, but in the window that the library's exact_table takes, whose
// chains end at 10.
//
// The file needs no library, as runtime/x86/ compiles it into programs.

#ifndef KARAKAL_TARGET_IXP_TABLE_HASHMULTIPLIER_H
#define KARAKAL_TARGET_IXP_TABLE_HASHMULTIPLIER_H

#include "target-ixp/table/HashFunction.h"

#include <cstdint>

namespace karakal::target {

namespace hash_multiplier {

/// The widest index of a table that is looked at, and the narrowest.
constexpr uint32_t IndexBitsMax = 20, IndexBitsMin = 4;
/// The most that the rank may lack in a window of hashes of `bits` bits.
constexpr uint32_t deficitMax(uint32_t bits, uint32_t window) {
  return bits == 128 && window != 96 ? 4 : 3;
}

/// The product of `value` and x.
constexpr HashKey timesX(HashKey value, uint32_t bits) {
  bool isOut =
      (bits > 64 ? value.high >> (bits - 65) : value.low >> (bits - 1)) & 1;
  value.high = bits > 64 ? value.high << 1 | value.low >> 63 : 0;
  value.low = value.low << 1 ^ (isOut ? hashPolynomial(bits) : 0);
  if (bits < 64)
    value.low &= (uint64_t{1} << bits) - 1;
  return value;
}

/// The bits of `value` from `first` on, at most 32.
constexpr uint32_t windowOf(HashKey value, uint32_t first, uint32_t bits) {
  uint64_t word = first >= 64 ? value.high >> (first - 64)
                  : first == 0
                      ? value.low
                      : value.low >> first | value.high << (64 - first);
  return uint32_t(word & ((uint64_t{1} << bits) - 1));
}

/// How much the rank of `bits` adjacent products lacks in a window.
constexpr uint32_t deficitOf(const HashKey *products, uint32_t window,
                             uint32_t bits) {
  uint32_t basis[IndexBitsMax] = {}, deficit = 0;
  for (uint32_t i = 0; i < bits; ++i) {
    uint32_t rest = windowOf(products[i], window, bits);
    while (rest != 0) {
      uint32_t top = 31 - uint32_t(__builtin_clz(rest));
      if (basis[top] == 0) {
        basis[top] = rest;
        break;
      }
      rest ^= basis[top];
    }
    deficit += rest == 0;
  }
  return deficit;
}

/// Whether `multiplier` spreads successive keys of `bits` bits.
constexpr bool spreadsKeys(HashKey multiplier, uint32_t bits) {
  HashKey products[128] = {};
  products[0] = multiplier;
  if (bits <= 64)
    products[0].high = 0;
  if (bits < 64)
    products[0].low &= (uint64_t{1} << bits) - 1;
  for (uint32_t i = 1; i < bits; ++i)
    products[i] = timesX(products[i - 1], bits);
  for (uint32_t index = IndexBitsMax; index >= IndexBitsMin; --index)
    for (uint32_t first = 0; first + index <= bits; ++first) {
      // Tables take the low bits of a word, or the highest.
      for (uint32_t window = 0; window + index <= bits; window += 32)
        if (deficitOf(products + first, window, index) >
            deficitMax(bits, window))
          return false;
      uint32_t top = bits - index;
      if (deficitOf(products + first, top, index) > deficitMax(bits, top))
        return false;
    }
  return true;
}

/// The next of a sequence of well-mixed numbers (SplitMix64).
constexpr uint64_t nextNumber(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

} // namespace hash_multiplier

/// Whether hashes of successive keys of all widths lie nearly one to a slot.
constexpr bool spreadsSuccessiveKeys(HashKey multiplier) {
  return hash_multiplier::spreadsKeys(multiplier, 48) &&
         hash_multiplier::spreadsKeys(multiplier, 64) &&
         hash_multiplier::spreadsKeys(multiplier, 128);
}

/// The multiplier that a secret of 128 bits chooses.
constexpr HashKey multiplierOf(HashKey secret) {
  using namespace hash_multiplier;
  uint64_t first = secret.low, second = secret.high;
  auto next = [&] {
    uint64_t one = nextNumber(first);
    return one ^ nextNumber(second) * 0xd1342543de82ef95;
  };
  HashKey multiplier;
  // With some low words no high word is good.
  constexpr uint32_t tries = 64;
  for (uint32_t i = 0;; ++i) {
    if (i % tries == 0)
      do
        multiplier.low = next();
      while (!spreadsKeys(multiplier, 48) || !spreadsKeys(multiplier, 64));
    multiplier.high = next();
    if (spreadsKeys(multiplier, 128))
      return multiplier;
  }
}

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_HASHMULTIPLIER_H
