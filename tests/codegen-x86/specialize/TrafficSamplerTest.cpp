// Which bursts are observed, and when the builder hears of it.

#include "codegen-x86/specialize/TrafficSampler.h"

#include <gtest/gtest.h>

using namespace karakal::x86;

namespace {

class TrafficSamplerTest : public testing::Test {
protected:
  TrafficSamplerTest() {
    options.period = 5;
    options.firstPeriod = 3;
    options.firstBursts = 4;
    options.burstsPerNews = 2;
  }
  /// Bursts up to the next that is observed, which is then still running.
  static uint32_t burstsUntilObserved(TrafficSampler &sampler) {
    uint32_t bursts = 1;
    for (; !sampler.begin(0); ++bursts) {
      EXPECT_FALSE(sampler.end(0)) << "nothing was observed";
      if (bursts == 100)
        return 0;
    }
    return bursts;
  }
  static void makeCode(TrafficSampler &sampler) {
    sampler.prepare({2});
    sampler.start();
  }

  SampleOptions options;
};

TEST_F(TrafficSamplerTest, CodeIsWantedOnceTheFirstBurstIsDue) {
  TrafficSampler sampler(1, 1, options);
  for (uint32_t burst = 1; burst < options.firstPeriod; ++burst) {
    EXPECT_FALSE(sampler.begin(0));
    EXPECT_FALSE(sampler.end(0));
  }
  EXPECT_FALSE(sampler.wantsCode());
  EXPECT_FALSE(sampler.begin(0)) << "there is no code that observes";
  EXPECT_TRUE(sampler.wantsCode());
  EXPECT_TRUE(sampler.end(0)) << "the builder is told";
  EXPECT_FALSE(sampler.end(0)) << "but once";
  makeCode(sampler);
  EXPECT_FALSE(sampler.wantsCode());
}

TEST_F(TrafficSamplerTest, FirstBurstsAreObservedMoreOften) {
  TrafficSampler sampler(1, 1, options);
  makeCode(sampler);
  for (uint32_t observed = 0; observed < 10; ++observed) {
    uint32_t expected =
        observed <= options.firstBursts ? options.firstPeriod : options.period;
    EXPECT_EQ(burstsUntilObserved(sampler), expected) << observed;
    sampler.end(0);
  }
}

TEST_F(TrafficSamplerTest, SeveralBurstsAreNewsUntilTheyAreTaken) {
  TrafficSampler sampler(1, 1, options);
  makeCode(sampler);
  for (uint32_t observed = 1; observed <= 6; ++observed) {
    ASSERT_NE(burstsUntilObserved(sampler), 0u);
    bool isNews = observed % options.burstsPerNews == 0;
    EXPECT_EQ(sampler.end(0), isNews) << observed;
    EXPECT_EQ(sampler.hasNews(), isNews) << observed;
    if (isNews)
      sampler.take();
    EXPECT_FALSE(sampler.hasNews());
  }
}

TEST_F(TrafficSamplerTest, WithoutCodeNothingIsObservedForEver) {
  TrafficSampler sampler(1, 1, options);
  while (!sampler.wantsCode())
    sampler.begin(0);
  EXPECT_TRUE(sampler.end(0));
  sampler.giveUp();
  EXPECT_FALSE(sampler.wantsCode());
  EXPECT_EQ(burstsUntilObserved(sampler), 0u);
}

} // namespace
