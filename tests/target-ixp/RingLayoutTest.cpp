// Every chip for which programs can be compiled has rings whose margin holds
// the puts under way.

#include "target-ixp/chip/RingLayout.h"
#include "target-ixp/chip/CheckTarget.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/Rings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>
#include <string>

namespace {

using namespace karakal;
using namespace karakal::target;
using ::testing::HasSubstr;

ChipParameters chipOf(const std::string &description) {
  auto chip = parseChip(description);
  EXPECT_TRUE(bool(chip)) << chip.error().str();
  return *chip;
}

TEST(RingLayoutTest, RingsAreAlignedApartAndWideEnough) {
  for (const char *name :
       {"ixp2400", "ixp2400-400", "ixp2800", "ixp2400 me.count=4",
        "ixp2800 ring.full_part=2", "ixp2400 bus.inlet=24"}) {
    SCOPED_TRACE(name);
    ChipParameters chip = chipOf(name);
    auto rings = layoutRings(chip);
    ASSERT_TRUE(bool(rings)) << rings.error().str();
    EXPECT_GE(rings->size(), RingFreeFirst + 2) << "two for channels";
    EXPECT_LE(rings->size(), RingFreeLast + 1);
    std::set<uint32_t> words;
    for (const ScratchRing &ring : *rings) {
      EXPECT_EQ(ring.base % (4 * ring.words), 0u) << ring.number;
      EXPECT_LE(ring.base + 4 * ring.words, ScratchRingsEnd);
      EXPECT_GE(ring.words / chip.ringFullPart, ring.load.wordsUnderWay(chip))
          << ring.number;
      for (uint32_t i = 0; i < ring.words; ++i)
        EXPECT_TRUE(words.insert(ring.base / 4 + i).second) << ring.number;
    }
    uint32_t contexts = appEngineCount(chip) * ContextCount;
    EXPECT_GE((*rings)[RingTx].load.wordsUnderWay(chip),
              contexts * RingMessageWords);
    EXPECT_GE((*rings)[RingToXScale].load.wordsUnderWay(chip), contexts);
  }
}

TEST(RingLayoutTest, SizesFollowTheContexts) {
  EXPECT_EQ(layoutRings({})->size(), 10u);
  EXPECT_EQ(scratchRing(RingTx).words, 512u);
  EXPECT_EQ(scratchRing(RingFreeFirst).words, 256u);
  EXPECT_EQ(scratchRing(RingFreeLast).base, 0x2c00u);
  ChipParameters inlet = chipOf("ixp2400 bus.inlet=24");
  EXPECT_EQ(layoutRings(inlet)->size(), 7u);
  EXPECT_EQ(scratchRing(RingTx, inlet).words, 1024u) << "(48 + 24) * 2 > 128";
  EXPECT_EQ(scratchRing(RingFreeFirst, inlet).words, 256u) << "40 + 24 = 64";
  ChipParameters large = chipOf("ixp2800");
  EXPECT_EQ(layoutRings(large)->size(), 6u);
  EXPECT_EQ(scratchRing(RingTx, large).words, 1024u);
  EXPECT_EQ(scratchRing(RingFreeFirst, large).words, 512u);
}

TEST(RingLayoutTest, AMarginThatIsTooSmallIsRefused) {
  for (auto [name, said] :
       {std::pair{"ixp2400 ring.full_part=16", "48 contexts"},
        std::pair{"ixp2800 ring.full_part=5", "112 contexts"},
        std::pair{"ixp2400 ring.full_part=8", "of 12288 bytes of scratch"},
        std::pair{"ixp2400 bus.inlet=32", "of 12288 bytes of scratch"}}) {
    Status possible = checkIsTarget(chipOf(name));
    ASSERT_FALSE(possible) << name;
    EXPECT_EQ(possible.error().id, "E-target-ixp-095");
    EXPECT_THAT(possible.error().message, HasSubstr(said));
    EXPECT_THAT(possible.error().message, HasSubstr("ring.full_part="));
  }
}

} // namespace
