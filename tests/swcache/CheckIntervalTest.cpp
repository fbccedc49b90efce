// Equation 2: the interval between version checks.

#include "swcache/CheckInterval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace karakal::swcache {
namespace {

TEST(CheckInterval, FollowsEquationTwo) {
  // One store in a million packets, two loads per packet, one stale packet in a
  // thousand: a version check every 500th packet.
  EXPECT_DOUBLE_EQ(checkRateMin({1e-6, 2, 1e-3}), 2e-3);
  EXPECT_EQ(checkInterval({1e-6, 2, 1e-3}), 500u);
}

TEST(CheckInterval, RefusesMoreThanOneCheckPerPacket) {
  EXPECT_EQ(checkInterval({1e-3, 1, 1e-3}), 1u);
  EXPECT_EQ(checkInterval({1.1e-3, 1, 1e-3}), 0u);
  EXPECT_EQ(checkInterval({1e-9, 1, 0}), 0u);
}

TEST(CheckInterval, IsRefusedIfShorterThanThePacketsInFlight) {
  EXPECT_EQ(refusalByRates({1e-3, 1, 1e-1}, 48, "loads"), "");
  EXPECT_EQ(refusalByRates({0, 1, 1e-9}, 48, "loads"), "");
  EXPECT_EQ(
      refusalByRates({1e-3, 1, 2e-2}, 48, "calls"),
      "1.00e-03 stores and 1.00 calls per packet with at most 2.00e-02 "
      "stale packets need a version check every 20th packet, but 48 contexts "
      "have 48 packets at a time");
  EXPECT_NE(refusalByRates({1e-3, 1, 1e-4}, 48, "loads"), "");
}

TEST(CheckInterval, IsBoundedIfNothingIsStored) {
  EXPECT_EQ(checkInterval({0, 5, 1e-3}), packetIntervalMax);
  EXPECT_EQ(checkInterval({0, 5, 0}), packetIntervalMax);
  EXPECT_EQ(checkInterval({1e-30, 1, 1e-3}), packetIntervalMax);
}

TEST(CheckInterval, IsDividedAmongEnginesAndContexts) {
  EXPECT_EQ(intervalOfContext(4800, 6, 8), 100u);
  EXPECT_EQ(intervalOfContext(47, 6, 8), 1u);
  EXPECT_EQ(intervalOfContext(47, 1, 8), 5u);
}

TEST(CheckInterval, NeverExceedsTheToleratedRate) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-9, 0);
  for (unsigned trial = 0; trial < 10000; ++trial) {
    AccessRates rates{std::pow(10, exponent(random)),
                      10 * std::pow(10, exponent(random) / 3),
                      std::pow(10, exponent(random))};
    uint64_t interval = checkInterval(rates);
    if (interval != 0)
      EXPECT_LE(double(interval) * rates.store * rates.load,
                rates.errorMax * (1 + 1e-9));
    else
      EXPECT_GT(checkRateMin(rates), 1);
  }
}

} // namespace
} // namespace karakal::swcache
