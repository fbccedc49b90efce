// Quantiles of counted values.

#include "sim-ixp/observe/Histogram.h"

#include <gtest/gtest.h>

using karakal::sim::Histogram;

TEST(HistogramTest, ValuesAreReturnedInAscendingOrder) {
  Histogram histogram;
  for (uint64_t value : {7, 3, 3, 900000, 0})
    histogram.add(value);
  EXPECT_EQ(histogram.count(), 5u);
  uint64_t sorted[] = {0, 3, 3, 7, 900000};
  for (uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(histogram.at(i), sorted[i]) << i;
  EXPECT_EQ(histogram.at(99), 900000u);
}

TEST(HistogramTest, HugeValuesAreCountedByPowersOfTwo) {
  Histogram histogram;
  histogram.add(uint64_t{5} << 40);
  histogram.add(uint64_t{9} << 40);
  histogram.add(1);
  EXPECT_EQ(histogram.at(1), uint64_t{4} << 40);
  EXPECT_EQ(histogram.at(2), uint64_t{9} << 40);
  EXPECT_EQ(histogram.maximum(), uint64_t{9} << 40);
}

TEST(HistogramTest, AnEmptyHistogramReturnsZero) {
  EXPECT_EQ(Histogram().at(0), 0u);
}
