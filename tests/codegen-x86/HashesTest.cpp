// The hashes of programs on x86 are those of the hash unit.
//
// runtime/x86/services.cpp is compiled into this test. Until it asks for the
// processor's features it multiplies bit by bit.

#include "runtime/x86/services.cpp"
#include "gtest/gtest.h"
#include <random>

namespace {

Wide wide(target::HashKey key) { return Wide(key.high) << 64 | key.low; }

target::HashKey unit(target::HashKey key, uint32_t bits) {
  return target::hashKey(key, bits, karakal_x86_hash_multiplier);
}

void compareWithTheUnit() {
  std::mt19937_64 random(7);
  std::vector<target::HashKey> keys = {
      {0, 0}, {1, 0}, {0, 1}, {~0ull, ~0ull}, {1ull << 47, 1ull << 63}};
  for (int i = 0; i < 20000; ++i)
    keys.push_back({random(), random()});
  for (const target::HashKey &key : keys) {
    ASSERT_EQ(baker_hash48(key.low), unit(key, 48).low) << key.low;
    ASSERT_EQ(baker_hash64(key.low), unit(key, 64).low) << key.low;
    ASSERT_EQ(baker_hash128(wide(key)), wide(unit(key, 128)))
        << key.high << " " << key.low;
  }
}

TEST(HashesTest, BitByBit) {
  ASSERT_EQ(hasCarrylessMultiply, 0);
  compareWithTheUnit();
}

TEST(HashesTest, WithTheProcessorsFeatures) {
  karakal_x86_find_features();
  compareWithTheUnit();
}

TEST(HashesTest, WithASecret) {
  karakal_x86_set_hash_key(3, 4);
  target::HashKey chosen = target::multiplierOf({4, 3});
  ASSERT_EQ(karakal_x86_hash_multiplier.low, chosen.low);
  ASSERT_EQ(karakal_x86_hash_multiplier.high, chosen.high);
  ASSERT_NE(chosen.low, target::HashMultiplier.low);
  compareWithTheUnit();
  karakal_x86_hash_multiplier = target::HashMultiplier;
}

} // namespace
