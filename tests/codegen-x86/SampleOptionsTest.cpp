// What `--observe=TEXT` says.

#include "codegen-x86/Specialization.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <array>

using karakal::x86::SampleOptions;
using testing::ElementsAre;

namespace {

/// What a text says: period, firstPeriod, lookupsMin, burstsPerNews.
std::array<uint32_t, 4> numbersOf(const char *text) {
  auto sample = SampleOptions::read(text);
  EXPECT_TRUE(sample) << text;
  return {sample->period, sample->firstPeriod, sample->lookupsMin,
          sample->burstsPerNews};
}

TEST(SampleOptionsTest, APeriodAloneKeepsTheLookUps) {
  EXPECT_THAT(numbersOf("2048"), ElementsAre(2048, 16, 256, 8));
}

TEST(SampleOptionsTest, ASmallPeriodIsThatOfTheFirstBurstsToo) {
  EXPECT_THAT(numbersOf("2,64"), ElementsAre(2, 2, 64, 2));
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
