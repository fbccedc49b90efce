// The core runs big-endian ARMv5TE code.
//
// Each test places a few assembled words, so that no ARM tool is needed.

#include "sim-ixp/core/XScaleEmulator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <map>

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint32_t memoryBase = 0x02000000;
constexpr uint32_t memoryBytes = 0x10000;
constexpr uint32_t ringWindow = 0xcb400000;

/// Ring 2 is a queue of words; ring 3 records what is put.
struct RingBus : XScaleBus {
  std::deque<uint32_t> toCore;
  std::vector<uint32_t> fromCore;
  double transferCycles = 0;
  std::optional<uint32_t> readWord(uint32_t address) override {
    if (address != ringWindow + 8)
      return std::nullopt;
    if (toCore.empty())
      return 0;
    uint32_t word = toCore.front();
    toCore.pop_front();
    return word;
  }
  bool writeWord(uint32_t address, uint32_t value) override {
    if (address != ringWindow + 12)
      return false;
    fromCore.push_back(value);
    return true;
  }
  double transfer(uint32_t, uint32_t, bool, double cycle) override {
    return cycle + transferCycles;
  }
};

class XScaleEmulatorTest : public ::testing::Test {
protected:
  void SetUp() override { make({}); }
  void make(const XScaleParameters &parameters) {
    auto made = XScaleEmulator::create(
        {{memoryBase, memory.data(), memoryBytes}}, {{ringWindow, 0x1000}}, bus,
        memoryBase + memoryBytes, parameters);
    ASSERT_TRUE(bool(made)) << made.error().str();
    core = std::move(*made);
  }
  void place(const std::vector<uint32_t> &words) {
    size_t at = 0;
    for (uint32_t word : words)
      for (int shift = 24; shift >= 0; shift -= 8)
        memory[at++] = static_cast<uint8_t>(word >> shift);
  }

  std::vector<uint8_t> memory = std::vector<uint8_t>(memoryBytes);
  RingBus bus;
  std::unique_ptr<XScaleEmulator> core;
};

/// while ((v = get(ring 2))) { put(ring 3, v + r0); count++; } return count;
const std::vector<uint32_t> moveRing = {
    0xe59f2028, 0xe5923000, 0xe3a01000, 0xea000003, 0xe0833000,
    0xe5823004, 0xe2811001, 0xe5923000, 0xe3530000, 0x01a00001,
    0x012fff1e, 0xeafffff7, 0xcb400008};

} // namespace

TEST_F(XScaleEmulatorTest, BytesAndHalvesAreBigEndian) {
  // p[0] << 24 | p[1] << 16 | *(u16 *)(p + 2)
  place({0xe5d01000, 0xe5d02001, 0xe1a02802, 0xe1821c01, 0xe1d000b2, 0xe1810000,
         0xe12fff1e});
  memory[0x100] = 0x12, memory[0x101] = 0x34;
  memory[0x102] = 0x56, memory[0x103] = 0x78;
  auto result = core->call(memoryBase, {memoryBase + 0x100});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(*result, 0x12345678u);
}

TEST_F(XScaleEmulatorTest, DeviceWordsKeepTheirByteOrder) {
  place(moveRing);
  bus.toCore = {0x01020304, 0x0a0b0c0d};
  auto result = core->call(memoryBase, {1});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(*result, 2u);
  EXPECT_EQ(bus.fromCore, (std::vector<uint32_t>{0x01020305, 0x0a0b0c0e}));
}

TEST_F(XScaleEmulatorTest, JobAdvancesWithTheClock) {
  XScaleParameters parameters;
  parameters.cyclesPerClock = 2;
  make(parameters);
  place(moveRing);
  bus.toCore.assign(100, 7);
  core->start(memoryBase, {0}, 1000);
  ASSERT_TRUE(bool(core->advance(1160)));
  EXPECT_TRUE(core->busy());
  // 8 instructions a word, two of which wait for a load: some 22 cycles of the
  // chip.
  EXPECT_GE(bus.fromCore.size(), 4u);
  EXPECT_LE(bus.fromCore.size(), 9u);
  ASSERT_TRUE(bool(core->advance(1000 + 3000)));
  EXPECT_FALSE(core->busy());
  EXPECT_EQ(core->result(), 100u);
  EXPECT_EQ(bus.fromCore.size(), 100u);
}

TEST_F(XScaleEmulatorTest, ADeviceAccessEndsTheSlice) {
  bus.transferCycles = 1000;
  place(moveRing);
  bus.toCore.assign(3, 7);
  core->start(memoryBase, {0}, 0);
  // get, put, get, put, get, put, get
  for (uint64_t access = 0; access < 7; ++access) {
    ASSERT_TRUE(bool(core->advance(access * 1100)));
    EXPECT_EQ(bus.fromCore.size(), access / 2);
    ASSERT_TRUE(core->busy());
    ASSERT_TRUE(bool(core->advance(access * 1100 + 900)));
  }
}

TEST_F(XScaleEmulatorTest, JobsFollowOneAnother) {
  place(moveRing);
  for (uint32_t i = 1; i <= 3; ++i) {
    bus.toCore.assign(i, 1);
    auto result = core->call(memoryBase, {0});
    ASSERT_TRUE(bool(result)) << result.error().str();
    EXPECT_EQ(*result, i);
  }
  EXPECT_EQ(core->statistics().jobs, 3u);
}

TEST_F(XScaleEmulatorTest, UnmappedReadIsAnErrorWithProgramCounter) {
  place({0xe3a00247, 0xe5900000, 0xe12fff1e}); // r0 = 0x70000004; r0 = *r0
  auto result = core->call(memoryBase, {});
  ASSERT_FALSE(bool(result));
  EXPECT_NE(result.error().message.find("reads 0x70000004"), std::string::npos)
      << result.error().str();
  EXPECT_NE(result.error().message.find("pc 0x02000004"), std::string::npos)
      << result.error().str();
}

TEST_F(XScaleEmulatorTest, SubWordDeviceAccessIsAnError) {
  place({0xe59f0004, 0xe5d00000, 0xe12fff1e, 0xcb400008});
  auto result = core->call(memoryBase, {});
  ASSERT_FALSE(bool(result));
  EXPECT_NE(result.error().message.find("registers are words"),
            std::string::npos)
      << result.error().str();
}

TEST_F(XScaleEmulatorTest, AbsentDeviceIsAnError) {
  place({0xe59f0004, 0xe5900000, 0xe12fff1e, 0xcb400040});
  auto result = core->call(memoryBase, {});
  ASSERT_FALSE(bool(result));
  EXPECT_NE(result.error().message.find("no device"), std::string::npos)
      << result.error().str();
}

TEST_F(XScaleEmulatorTest, UndefinedInstructionIsAnError) {
  place({0xe7f000f0, 0xe12fff1e}); // udf
  auto result = core->call(memoryBase, {});
  ASSERT_FALSE(bool(result));
  EXPECT_NE(result.error().message.find("pc 0x02000000"), std::string::npos)
      << result.error().str();
}

TEST_F(XScaleEmulatorTest, EndlessJobIsAnError) {
  XScaleParameters parameters;
  parameters.jobInstructionsMax = 100'000;
  make(parameters);
  place({0xeafffffe, 0xe3a00005, 0xe12fff1e}); // b . ; return 5
  auto result = core->call(memoryBase, {});
  ASSERT_FALSE(bool(result));
  EXPECT_NE(result.error().message.find("not returned"), std::string::npos)
      << result.error().str();
  // The core is usable afterwards.
  auto next = core->call(memoryBase + 4, {});
  ASSERT_TRUE(bool(next)) << next.error().str();
  EXPECT_EQ(*next, 5u);
}

/// Prints how fast the host executes the core's code.
TEST_F(XScaleEmulatorTest, SpeedOfExecution) {
  XScaleParameters parameters;
  parameters.jobInstructionsMax = 5'000'000;
  make(parameters);
  place({0xe2800001, 0xe2811003, 0xe0800001, 0xeafffffb}); // endless adds
  auto begin = std::chrono::steady_clock::now();
  ASSERT_FALSE(bool(core->call(memoryBase, {})));
  std::chrono::duration<double> whole =
      std::chrono::steady_clock::now() - begin;
  begin = std::chrono::steady_clock::now();
  core->start(memoryBase, {}, 0);
  ASSERT_TRUE(bool(core->advance(1'000'000)));
  std::chrono::duration<double> sliced =
      std::chrono::steady_clock::now() - begin;
  std::printf("XScale: %.0f million instructions a second at once, "
              "%.0f in slices of %u cycles\n",
              5.0 / whole.count(), 1.0 / sliced.count(),
              parameters.sliceCycles);
}
