// Equation 2: how often an engine must look.

#include "swcache/CheckInterval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace karakal::swcache {
namespace {

TEST(CheckInterval, FollowsEquationTwo) {
  // One store in a million packets, two loads a packet, a stale packet in a
  // thousand: a look on every 500th packet.
  EXPECT_DOUBLE_EQ(leastCheckRate({1e-6, 2, 1e-3}), 2e-3);
  EXPECT_EQ(checkInterval({1e-6, 2, 1e-3}), 500u);
}

TEST(CheckInterval, RefusesMoreThanOneLookAPacket) {
  EXPECT_EQ(checkInterval({1e-3, 1, 1e-3}), 1u);
  EXPECT_EQ(checkInterval({1.1e-3, 1, 1e-3}), 0u);
  EXPECT_EQ(checkInterval({1e-9, 1, 0}), 0u);
}

TEST(CheckInterval, IsNoShorterThanThePacketsThatAreThereAtOnce) {
  EXPECT_EQ(refusalByRates({1e-3, 1, 1e-1}, 48, "loads"), "");
  EXPECT_EQ(refusalByRates({0, 1, 1e-9}, 48, "loads"), "");
  EXPECT_EQ(refusalByRates({1e-3, 1, 2e-2}, 48, "calls"),
            "1.00e-03 stores and 1.00 calls a packet with at most 2.00e-02 "
            "stale packets need a look on every 20th packet: 48 contexts have "
            "48 packets at once");
  EXPECT_NE(refusalByRates({1e-3, 1, 1e-4}, 48, "loads"), "");
}

TEST(CheckInterval, IsBoundedWhereNothingIsStored) {
  EXPECT_EQ(checkInterval({0, 5, 1e-3}), packetIntervalMax);
  EXPECT_EQ(checkInterval({0, 5, 0}), packetIntervalMax);
  EXPECT_EQ(checkInterval({1e-30, 1, 1e-3}), packetIntervalMax);
}

TEST(CheckInterval, EnginesAndContextsShareThePackets) {
  EXPECT_EQ(intervalOfContext(4800, 6, 8), 100u);
  EXPECT_EQ(intervalOfContext(47, 6, 8), 1u);
  EXPECT_EQ(intervalOfContext(47, 1, 8), 5u);
}

TEST(CheckInterval, NeverPromisesMoreThanTheRateAllows) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-9, 0);
  for (unsigned round = 0; round < 10000; ++round) {
    AccessRates rates{std::pow(10, exponent(random)),
                      10 * std::pow(10, exponent(random) / 3),
                      std::pow(10, exponent(random))};
    uint64_t interval = checkInterval(rates);
    if (interval != 0)
      EXPECT_LE(double(interval) * rates.store * rates.load,
                rates.errorMax * (1 + 1e-9));
    else
      EXPECT_GT(leastCheckRate(rates), 1);
  }
}

} // namespace
} // namespace karakal::swcache
