// Measured accesses to memory.

#include "codegen-x86/model/MeasureMemory.h"
#include <gmock/gmock.h>

using namespace karakal::x86;

namespace {

TEST(MeasureMemory, LargerSetsAreNotFasterAndAccessesOverlap) {
  auto figures = measureMemory(1 << 20);
  ASSERT_EQ(figures.size(), 7u); // 16 KiB to 1 MiB
  for (size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(figures[i].bytes, uint64_t(16 << 10) << i);
    EXPECT_GT(figures[i].parallelNs, 0);
    EXPECT_LT(figures[i].parallelNs, figures[i].latencyNs);
    if (i > 0) {
      EXPECT_GE(figures[i].latencyNs, figures[i - 1].latencyNs);
      EXPECT_GE(figures[i].parallelNs, figures[i - 1].parallelNs);
    }
  }
}

} // namespace
