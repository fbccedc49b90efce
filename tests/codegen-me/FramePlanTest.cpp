// Where stacks lie beyond local memory.

#include "codegen-me/machine/FramePlan.h"

#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/LocalMemory.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::codegen;
using testing::HasSubstr;

namespace {

StackPlan needing(unsigned chunks) {
  StackPlan plan;
  plan.words = 48 + chunks * SramChunkBytes / 4;
  plan.sramChunks = chunks;
  return plan;
}

TEST(SramStacks, AllCodeCountsContextsOfOneSize) {
  target::ChipParameters chip;
  Result<SramStack> small = placeSramStack(needing(1), chip);
  Result<SramStack> large = placeSramStack(needing(3), chip);
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->base, large->base);
  EXPECT_EQ(small->contextBytes, large->contextBytes);
  EXPECT_EQ(small->base + target::stackSramBytes(chip), chip.sramBytes);
  EXPECT_EQ(small->contextBytes * chip.meCount * target::ContextCount,
            target::stackSramBytes(chip));
}

TEST(SramStacks, WhatDoesNotFitIsAnError) {
  target::ChipParameters chip;
  unsigned most = 1024 * 4 / SramChunkBytes;
  EXPECT_TRUE(placeSramStack(needing(most), chip));
  Result<SramStack> refused = placeSramStack(needing(most + 1), chip);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, "E-codegen-me-022");
  EXPECT_THAT(refused.error().message,
              HasSubstr("1104 words a context, 4224 bytes of them in SRAM, "
                        "4096 available"));
}

TEST(SramStacks, AControlStoreThatIsNoPowerOfTwo) {
  target::ChipParameters chip;
  chip.meControlStore = 5000;
  Result<SramStack> stack = placeSramStack(needing(32), chip);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->contextBytes, 4096u); // 5,000 bytes are there
  EXPECT_EQ(stack->base, chip.sramBytes - target::stackSramBytes(chip));
}

} // namespace
