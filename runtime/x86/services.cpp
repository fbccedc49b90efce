// Hashes of programs on x86.
//
// The functions of the hash unit (target-ixp/table/HashFunction.h). A product
// of polynomials over GF(2) is one instruction where the processor multiplies
// without carries, which `karakal_x86_find_features` asks. The reduction folds:
// with the polynomial x^n + p, the part above x^n times p is added below, as
// often as anything is above. Each fold takes n - deg(p) bits off the n - 1
// bits above: two folds for 64 bits (deg(p) = 4) and for 128 (7), three for 48
// (28).

#include "target-ixp/table/HashMultiplier.h"
#include <cpuid.h>
#include <emmintrin.h>
#include <wmmintrin.h>

using namespace karakal;

__extension__ typedef unsigned __int128 Wide;

// The multiplier of the program (codegen-x86/Runtime.h).
extern "C" {
target::HashKey karakal_x86_hash_multiplier = target::HashMultiplier;
}

namespace {

int hasCarrylessMultiply = 0;

/// The product of two polynomials.
Wide multiplyBitByBit(uint64_t one, uint64_t other) {
  Wide product = 0;
  for (; other != 0; other &= other - 1)
    product ^= Wide(one) << __builtin_ctzll(other);
  return product;
}

[[gnu::target("pclmul")]] Wide multiplyAtOnce(uint64_t one, uint64_t other) {
  __m128i product =
      _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(one)),
                           _mm_cvtsi64_si128(static_cast<long long>(other)), 0);
  __m128i high = _mm_unpackhi_epi64(product, product);
  return Wide(static_cast<uint64_t>(_mm_cvtsi128_si64(high))) << 64 |
         static_cast<uint64_t>(_mm_cvtsi128_si64(product));
}

inline Wide multiply(uint64_t one, uint64_t other) {
  return hasCarrylessMultiply ? multiplyAtOnce(one, other)
                              : multiplyBitByBit(one, other);
}

/// The product of `key` and the multiplier, reduced to `bits` bits, at most 64.
inline uint64_t hashWord(uint64_t key, uint32_t bits, uint32_t folds) {
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  uint64_t polynomial = target::hashPolynomial(bits);
  Wide rest = multiply(key & mask, karakal_x86_hash_multiplier.low & mask);
  uint64_t hash = 0;
  for (uint32_t fold = 0; fold <= folds; ++fold) {
    hash ^= uint64_t(rest) & mask;
    rest = multiply(uint64_t(rest >> bits), polynomial);
  }
  return hash;
}

} // namespace

extern "C" {

/// Finds out what the processor has. Runs before any other function.
void karakal_x86_find_features() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  hasCarrylessMultiply =
      __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_PCLMUL);
}

void karakal_x86_set_hash_key(uint64_t high, uint64_t low) {
  karakal_x86_hash_multiplier = target::multiplierOf({low, high});
}

uint64_t baker_hash48(uint64_t key) { return hashWord(key, 48, 3); }

uint64_t baker_hash64(uint64_t key) { return hashWord(key, 64, 2); }

Wide baker_hash128(Wide key) {
  uint64_t keyLow = uint64_t(key), keyHigh = uint64_t(key >> 64);
  const target::HashKey factor = karakal_x86_hash_multiplier;
  Wide low = multiply(keyLow, factor.low);
  Wide high = multiply(keyHigh, factor.high);
  Wide middle = multiply(keyLow, factor.high) ^ multiply(keyHigh, factor.low);
  low ^= middle << 64;
  high ^= middle >> 64;
  uint64_t polynomial = target::hashPolynomial(128);
  Wide first = multiply(uint64_t(high), polynomial);
  Wide second = multiply(uint64_t(high >> 64), polynomial);
  low ^= first ^ second << 64;
  // What the second product has above bit 128 is folded once more.
  return low ^ multiply(uint64_t(second >> 64), polynomial);
}

} // extern "C"
