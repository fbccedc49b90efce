// Multipliers that a secret chooses.

#include "target-ixp/table/HashMultiplier.h"
#include "target-ixp/table/HashSecret.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace karakal::target;

namespace {

std::vector<HashKey> somePrivate() {
  std::vector<HashKey> made;
  for (uint64_t i = 0; i < 8; ++i)
    made.push_back(multiplierOf({i, ~i * 0x9e3779b97f4a7c15}));
  return made;
}

/// The most of 2^`bits` keys that differ in adjacent bits, from `first` on,
/// that have the same bits of their hashes, from `window` on.
uint32_t mostInASlot(HashKey multiplier, uint32_t width, uint32_t first,
                     uint32_t window, uint32_t bits) {
  std::vector<uint32_t> slots(size_t(1) << bits);
  uint32_t most = 0;
  for (uint64_t i = 0; i < slots.size(); ++i) {
    HashKey key;
    if (first < 64)
      key.low = i << first;
    if (first >= 64)
      key.high = i << (first - 64);
    else if (first != 0)
      key.high = i >> (64 - first);
    HashKey hash = hashKey(key, width, multiplier);
    uint64_t word =
        window < 64 ? hash.low >> window : hash.high >> (window - 64);
    most = std::max(most, ++slots[word & (slots.size() - 1)]);
  }
  return most;
}

TEST(HashMultiplierTest, SuccessiveKeysSpread) {
  for (HashKey multiplier : somePrivate()) {
    for (uint32_t bits : {8u, 10u, 12u})
      for (uint32_t first : {0u, 3u, 16u, 24u, 32u}) {
        EXPECT_LE(mostInASlot(multiplier, 48, first, 0, bits), 8u);
        EXPECT_LE(mostInASlot(multiplier, 64, first, 32, bits), 8u);
        EXPECT_LE(mostInASlot(multiplier, 64, first, 64 - bits, bits), 8u);
        for (uint32_t high : {0u, 64u})
          EXPECT_LE(mostInASlot(multiplier, 128, first + high, 96, bits), 8u);
      }
  }
}

/// Products of low keys and these do not reach the upper words.
TEST(HashMultiplierTest, WeakMultipliersAreSeen) {
  for (HashKey weak : {HashKey{1, 0}, HashKey{1u << 20, 0}, HashKey{0, 1}}) {
    EXPECT_FALSE(spreadsSuccessiveKeys(weak));
    EXPECT_GT(mostInASlot(weak, 64, 0, 32, 10), 8u);
  }
  for (HashKey multiplier : somePrivate())
    EXPECT_TRUE(spreadsSuccessiveKeys(multiplier));
}

TEST(HashMultiplierTest, ASecretHasOneMultiplier) {
  // Images that were made with a key are made the same again.
  EXPECT_EQ(hexDigitsOf(multiplierOf({0, 0})),
            "9eb4c5f7b8e59914a7e717b0a38ada58");
  EXPECT_EQ(hexDigitsOf(multiplierOf({1, 0})),
            "bac411e5dd9095eb75acf1b78558c2bc");
  std::set<std::string> all;
  for (HashKey multiplier : somePrivate())
    all.insert(hexDigitsOf(multiplier));
  EXPECT_EQ(all.size(), 8u);
}

/// The products of x^0, x^1, … are independent: no two keys have one hash.
TEST(HashMultiplierTest, HashesAreUnique) {
  for (HashKey multiplier : somePrivate())
    for (uint32_t width : {48u, 64u}) {
      std::vector<uint64_t> basis(64);
      for (uint32_t i = 0; i < width; ++i) {
        uint64_t rest = hashKey({uint64_t(1) << i, 0}, width, multiplier).low;
        for (uint32_t top = 64; top-- > 0 && rest != 0;)
          if (rest >> top & 1) {
            if (basis[top] == 0) {
              basis[top] = rest;
              break;
            }
            rest ^= basis[top];
          }
        ASSERT_NE(rest, 0u) << width << " " << i;
      }
    }
}

TEST(HashSecretTest, DigitsAreRead) {
  auto secret = readHashSecret("0123456789abcdefFEDCBA9876543210");
  ASSERT_TRUE(secret);
  EXPECT_EQ(secret->high, 0x0123456789abcdefu);
  EXPECT_EQ(secret->low, 0xfedcba9876543210u);
  EXPECT_EQ(readHashSecret("f")->low, 15u);
  EXPECT_EQ(hexDigitsOf(*secret), "0123456789abcdeffedcba9876543210");
  for (const char *wrong : {"", "0x1", "g", " 1", "-1"}) {
    EXPECT_FALSE(readHashSecret(wrong)) << wrong;
    EXPECT_NE(findHashSecretFault(wrong), "");
  }
  EXPECT_FALSE(readHashSecret(std::string(33, '1')));
  EXPECT_FALSE(readHashMultiplier("1"));
}

TEST(HashSecretTest, RandomSecretsDiffer) {
  HashKey one = randomHashSecret(), other = randomHashSecret();
  EXPECT_NE(one.low, other.low);
  EXPECT_NE(one.high, other.high);
}

} // namespace
