// What `--observe=TEXT` says.

#include "codegen-x86/Specialization.h"
#include "gtest/gtest.h"

using karakal::x86::SampleOptions;

namespace {

TEST(SampleOptionsTest, APeriodAloneKeepsTheLookUps) {
  auto sample = SampleOptions::read("2048");
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->period, 2048u);
  EXPECT_EQ(sample->firstPeriod, 16u);
  EXPECT_EQ(sample->lookupsMin, 256u);
  EXPECT_EQ(sample->burstsPerNews, 8u);
}

TEST(SampleOptionsTest, ASmallPeriodIsThatOfTheFirstBurstsToo) {
  auto sample = SampleOptions::read("2,64");
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->period, 2u);
  EXPECT_EQ(sample->firstPeriod, 2u);
  EXPECT_EQ(sample->lookupsMin, 64u);
  EXPECT_EQ(sample->burstsPerNews, 2u);
}

TEST(SampleOptionsTest, ZeroObservesNothing) {
  EXPECT_EQ(SampleOptions::read("0")->period, 0u);
  EXPECT_EQ(SampleOptions::read("0,9")->period, 0u);
}

TEST(SampleOptionsTest, OtherTextsAreRefused) {
  for (const char *text : {"", ",", "5,", ",5", "5,0", "x", "5,x", "5,6,7",
                           "-1", "5 ", "4294967296"})
    EXPECT_FALSE(SampleOptions::read(text)) << text;
}

} // namespace
