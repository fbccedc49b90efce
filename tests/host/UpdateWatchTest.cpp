// When code is made again.

#include "host/UpdateWatch.h"
#include "gtest/gtest.h"

using namespace karakal::host;

namespace {

TEST(UpdateWatchTest, TheFirstStateAndEachChangeAreBuilt) {
  UpdateWatch watch(2, 1000);
  uint64_t versions[] = {0, 0};
  EXPECT_TRUE(watch.wantsBuild(versions, 0));
  watch.builds(versions);
  EXPECT_FALSE(watch.isSettled(versions));
  EXPECT_FALSE(watch.wantsBuild(versions, 1));
  EXPECT_TRUE(watch.isSettled(versions));
  versions[1] = 7;
  EXPECT_FALSE(watch.isSettled(versions));
  EXPECT_TRUE(watch.wantsBuild(versions, 2));
  EXPECT_FALSE(watch.isSettled(versions));
  EXPECT_TRUE(watch.wantsBuild(versions, 3));
  watch.builds(versions);
  EXPECT_FALSE(watch.wantsBuild(versions, 4));
}

TEST(UpdateWatchTest, WhatBreaksCodeAgainAndAgainIsLeftOutUntilItKeepsStill) {
  UpdateWatch watch(2, 1000);
  uint64_t versions[] = {0, 0};
  double now = 0;
  for (unsigned i = 0; i < UpdateWatch::BreaksMax; ++i) {
    EXPECT_TRUE(watch.wantsBuild(versions, now));
    EXPECT_TRUE(watch.restless().empty());
    watch.builds(versions);
    ++versions[0];
    watch.breaks(0);
    now += 10;
  }
  // Wanted once, without this version.
  EXPECT_TRUE(watch.wantsBuild(versions, now));
  EXPECT_EQ(watch.restless(), std::set<unsigned>{0});
  watch.builds(versions);
  EXPECT_FALSE(watch.wantsBuild(versions, now));
  ++versions[1];
  EXPECT_TRUE(watch.wantsBuild(versions, now));
  watch.builds(versions);
  ++versions[0];
  EXPECT_FALSE(watch.wantsBuild(versions, now + 900));
  EXPECT_FALSE(watch.wantsBuild(versions, now + 1800));
  EXPECT_TRUE(watch.wantsBuild(versions, now + 1900));
  EXPECT_TRUE(watch.restless().empty());
}

} // namespace
