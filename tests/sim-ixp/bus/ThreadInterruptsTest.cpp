// Registers of the threads' interrupts, by offset.

#include "sim-ixp/bus/ThreadInterrupts.h"
#include <gtest/gtest.h>
#include <tuple>

using namespace karakal::sim;

namespace {

/// The offsets of the registers of interrupt A; those of B are 0x20 further on.
constexpr uint32_t status = 0xe0, raw = 0x60, enable = 0x160, disable = 0x1e0;

} // namespace

TEST(ThreadInterruptsTest, AThreadHasABitOfAWord) {
  for (auto [thread, word, bit] :
       {std::tuple(0u, 0u, 0u), std::tuple(31u, 0u, 31u),
        std::tuple(32u, 1u, 0u), std::tuple(69u, 2u, 5u),
        std::tuple(127u, 3u, 31u)})
    for (uint32_t which : {0u, 1u}) {
      ThreadInterrupts interrupts;
      interrupts.raise(which, thread);
      for (uint32_t each : {0u, 1u})
        for (uint32_t at = 0; at < 4; ++at)
          EXPECT_EQ(interrupts.read(raw + 0x20 * each + 4 * at),
                    each == which && at == word ? 1u << bit : 0)
              << thread << " " << each << " " << at;
    }
}

TEST(ThreadInterruptsTest, NumbersOfThreadsCountThroughBothClusters) {
  EXPECT_EQ(threadNumber(0, 0), 0u);
  EXPECT_EQ(threadNumber(0, 7), 7u);
  EXPECT_EQ(threadNumber(3, 2), 26u);
  EXPECT_EQ(threadNumber(0x10, 0), 64u);
  EXPECT_EQ(threadNumber(0x17, 7), 127u);
}

TEST(ThreadInterruptsTest, OnlyEnabledThreadsHaveAStatus) {
  ThreadInterrupts interrupts;
  interrupts.raise(1, 33);
  interrupts.raise(1, 34);
  const uint32_t at = 0x20 + 4;
  EXPECT_EQ(interrupts.read(status + at), 0u);
  EXPECT_TRUE(interrupts.write(enable + at, 0b1010));
  EXPECT_EQ(interrupts.read(status + at), 0b10u);
  EXPECT_EQ(interrupts.read(enable + at), 0b1010u);
  EXPECT_EQ(interrupts.read(disable + at), 0b1010u);
  EXPECT_EQ(interrupts.read(raw + at), 0b110u);
  EXPECT_EQ(interrupts.read(status + 4), 0u) << "A is another interrupt";
  // What is written adds to what is enabled.
  EXPECT_TRUE(interrupts.write(enable + at, 0b0100));
  EXPECT_EQ(interrupts.read(status + at), 0b110u);
  EXPECT_TRUE(interrupts.write(disable + at, 0b0010));
  EXPECT_EQ(interrupts.read(status + at), 0b100u);
  EXPECT_EQ(interrupts.read(enable + at), 0b1100u);
  // A written 1 clears a bit, and a 0 leaves it.
  EXPECT_TRUE(interrupts.write(raw + at, 0b0011));
  EXPECT_EQ(interrupts.read(raw + at), 0b100u);
}

TEST(ThreadInterruptsTest, OtherOffsetsHaveNoRegister) {
  ThreadInterrupts interrupts;
  for (uint32_t base : {status, raw, enable, disable})
    for (uint32_t offset : {base - 4, base + 0x10, base + 0x1c, base + 0x30}) {
      EXPECT_FALSE(interrupts.read(offset)) << offset;
      EXPECT_FALSE(interrupts.write(offset, 1)) << offset;
    }
  for (uint32_t base : {raw, enable, disable}) {
    EXPECT_TRUE(interrupts.read(base + 0xc)) << base;
    EXPECT_TRUE(interrupts.write(base + 0x2c, 0)) << base;
  }
  EXPECT_FALSE(interrupts.write(status, 1)) << "the status is read-only";
}
