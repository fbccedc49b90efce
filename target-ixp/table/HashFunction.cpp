// The function of the hash unit.

#include "target-ixp/table/HashFunction.h"

#include "support/Error.h"

namespace karakal::target {

static HashKey masked(HashKey key, uint32_t bits) {
  if (bits <= 64) {
    key.high = 0;
    if (bits < 64)
      key.low &= (uint64_t{1} << bits) - 1;
  }
  return key;
}

static bool bitOf(const HashKey &key, uint32_t n) {
  return (n < 64 ? key.low >> n : key.high >> (n - 64)) & 1;
}

HashKey hashKey(HashKey key, uint32_t bits, HashKey multiplier) {
  KARAKAL_ASSERT(bits == 48 || bits == 64 || bits == 128,
                 "the unit hashes keys of 48, 64 and 128 bits");
  key = masked(key, bits);
  HashKey factor = masked(multiplier, bits);
  HashKey result;
  for (uint32_t i = bits; i-- > 0;) {
    bool carry = bitOf(result, bits - 1);
    result.high = result.high << 1 | result.low >> 63;
    result.low <<= 1;
    result = masked(result, bits);
    if (carry)
      result.low ^= hashPolynomial(bits);
    if (bitOf(factor, i)) {
      result.low ^= key.low;
      result.high ^= key.high;
    }
  }
  return result;
}

} // namespace karakal::target
