// Rings are given out up to the last one, and not beyond it.

#include "aggregation/formation/RingAllocator.h"
#include "gtest/gtest.h"
#include <string>

using namespace karakal;
using namespace karakal::agg;

namespace {

/// Returns the ring of the aggregate with this number.
std::optional<uint32_t> inputRing(RingAllocator &rings, unsigned aggregate,
                                  bool wantsSram = false) {
  return rings.ringOf("a" + std::to_string(aggregate), RingUse::Input,
                      wantsSram);
}

} // namespace

// Rings 0 to 3 of scratch belong to the runtime and to the XScale core, 4 to 9
// are free; SRAM rings have the numbers 32 to 39.

TEST(RingAllocatorTest, TheLastScratchRingIsGivenOutBeforeAnSramRing) {
  RingAllocator rings;
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(inputRing(rings, i), 4 + i);
  EXPECT_EQ(inputRing(rings, 6), 32u);
}

TEST(RingAllocatorTest, TheLastSramRingIsGivenOutAndOneMoreIsRefused) {
  RingAllocator rings;
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(inputRing(rings, i, /*wantsSram=*/true), 32 + i);
  EXPECT_EQ(inputRing(rings, 8, /*wantsSram=*/true), std::nullopt);
  EXPECT_EQ(inputRing(rings, 8), std::nullopt) << "a refusal stays";
  EXPECT_EQ(inputRing(rings, 9), 4u) << "scratch rings are still free";
}

TEST(RingAllocatorTest, ThereAreFourteenRings) {
  RingAllocator rings;
  for (unsigned i = 0; i < 14; ++i)
    EXPECT_TRUE(inputRing(rings, i).has_value()) << i;
  EXPECT_EQ(inputRing(rings, 14), std::nullopt);
}

TEST(RingAllocatorTest, AnAggregateHasOneRingForEachUse) {
  RingAllocator rings;
  EXPECT_EQ(rings.ringOf("main", RingUse::Cycle), 4u);
  EXPECT_EQ(rings.ringOf("main", RingUse::Input), 5u);
  EXPECT_EQ(rings.ringOf("main", RingUse::Cycle), 4u);
  EXPECT_EQ(rings.ringOf("main", RingUse::Input, /*wantsSram=*/true), 5u);
  EXPECT_EQ(rings.ringOf("back", RingUse::Input), 6u);
}

TEST(RingAllocatorTest, AChipWithMoreContextsHasFewerScratchRings) {
  auto chip = target::parseChip("ixp2800");
  ASSERT_TRUE(bool(chip));
  RingAllocator rings(*chip);
  EXPECT_EQ(inputRing(rings, 0), 4u);
  EXPECT_EQ(inputRing(rings, 1), 5u);
  EXPECT_EQ(inputRing(rings, 2), 32u);
}
