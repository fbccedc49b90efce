// What the XScale's instructions cost.
//
// Expected latencies are those of the Intel XScale Core Developer's Manual
// (273473), section 10.4.

#include "sim-ixp/core/XScalePipeline.h"

#include <gtest/gtest.h>

using namespace karakal::sim;

namespace {

constexpr uint32_t base = 0x2000000;
constexpr uint32_t shared = 0x80000000;

class XScalePipelineTest : public ::testing::Test {
protected:
  /// The cycles of instructions that follow one another, without the cold
  /// instruction cache.
  double cycles(const std::vector<uint32_t> &words) {
    XScalePipeline fresh = make();
    fresh.issue(base, nop);
    double begin = fresh.clock();
    for (size_t i = 0; i < words.size(); ++i)
      fresh.issue(base + 4 + 4 * static_cast<uint32_t>(i), words[i]);
    EXPECT_LE(words.size(), 7u) << "one line of code";
    return fresh.clock() - begin;
  }
  XScalePipeline make() {
    return XScalePipeline(
        {base, 0x100000}, 1,
        [this](uint32_t address, uint32_t bytes, bool isWrite, double cycle) {
          transfers.push_back({address, bytes, isWrite});
          return cycle + transferCycles;
        });
  }

  static constexpr uint32_t nop = 0xe1a00000; // mov r0, r0
  struct Transfer {
    uint32_t address, bytes;
    bool isWrite;
    bool operator==(const Transfer &other) const {
      return address == other.address && bytes == other.bytes &&
             isWrite == other.isWrite;
    }
  };
  std::vector<Transfer> transfers;
  double transferCycles = 100;
};

} // namespace

TEST_F(XScalePipelineTest, LatenciesByClassOfInstruction) {
  EXPECT_EQ(cycles({0xe0810002}), 1);             // add r0, r1, r2
  EXPECT_EQ(cycles({0xe0810312}), 2);             // add r0, r1, r2, lsl r3
  EXPECT_EQ(cycles({0xe1a00061}), 2);             // mov r0, r1, rrx
  EXPECT_EQ(cycles({0xe1a000e1}), 1);             // mov r0, r1, ror #1
  EXPECT_EQ(cycles({0xe0000291}), 1);             // mul r0, r1, r2
  EXPECT_EQ(cycles({0xe0000291, 0xe2800001}), 4); // its result in 3
  EXPECT_EQ(cycles({0xe0100291}), 3);             // muls
  EXPECT_EQ(cycles({0xe5913000, 0xe0203192}), 4); // mla r0, r2, r1, loaded r3
  EXPECT_EQ(cycles({0xe5913000, 0xe0003291}), 2); // mul has no such summand
  EXPECT_EQ(cycles({0xe0810392, 0xe2810001}), 5); // umull, its result in 4
  EXPECT_EQ(cycles({0xe1600281, 0xe2800001}), 3); // smulbb, its result in 2
  EXPECT_EQ(cycles({0xe5910000}), 1);             // ldr r0, [r1]
  EXPECT_EQ(cycles({0xe5910000, 0xe2800001}), 4); // its result in 3
  EXPECT_EQ(cycles({0xe5910000, nop}), 4);        // mov r0, r0 reads it, too
  EXPECT_EQ(cycles({0xe5910000, 0xe1a02002, 0xe1a02002, 0xe2800001}), 4);
  EXPECT_EQ(cycles({0xe5810000}), 1);             // str r0, [r1]
  EXPECT_EQ(cycles({0xe1c120d0, 0xe2832001}), 5); // ldrd r2, [r1]: r3 in 4
  EXPECT_EQ(cycles({0xe1c120f0}), 2);             // strd r2, [r1]
  EXPECT_EQ(cycles({0xe1d100b2, 0xe2800001}), 4); // ldrh r0, [r1, #2]
  EXPECT_EQ(cycles({0xe1c100b2}), 1);             // strh
  EXPECT_EQ(cycles({0xe8b1003c}), 6);             // ldm r1!, {r2-r5}
  EXPECT_EQ(cycles({0xe8a1003c}), 6);             // stm r1!, {r2-r5}
  EXPECT_EQ(cycles({0xe8bd8010}), 10);            // pop {r4, pc}
  EXPECT_EQ(cycles({0xe8bd80f0}), 12);            // pop {r4-r7, pc}
  EXPECT_EQ(cycles({0xe591f000}), 8);             // ldr pc, [r1]
  EXPECT_EQ(cycles({0xe12fff1e}), 5);             // bx lr
  EXPECT_EQ(cycles({0xe1a0f00e}), 5);             // mov pc, lr
  EXPECT_EQ(cycles({0xe1010092}), 5);             // swp r0, r2, [r1]
  EXPECT_EQ(cycles({0xe16f0f11}), 1);             // clz r0, r1
  EXPECT_EQ(cycles({0xe10f0000, 0xe2800001}), 3); // mrs r0, its result in 2
  EXPECT_EQ(cycles({0xea000000}), 1);             // b, as predicted
  EXPECT_EQ(cycles({0xfa000000}), 5);             // blx to an address
  EXPECT_EQ(cycles({0xf5d1f000}), 1);             // pld [r1]
}

/// A loop of ten iterations, thrice: the branch is wrong when it is new, and at
/// the end of each run.
TEST_F(XScalePipelineTest, ALoopIsPredicted) {
  XScalePipeline pipeline = make();
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < 10; ++i) {
      pipeline.issue(base, nop);
      pipeline.issue(base + 4, 0x1afffffd); // bne base
    }
    pipeline.issue(base + 8, nop);
  }
  EXPECT_EQ(pipeline.times().mispredicted, 4u);
}

TEST_F(XScalePipelineTest, CodeAndDataMissOnceALine) {
  XScalePipeline pipeline = make();
  for (int run = 0; run < 2; ++run)
    for (uint32_t i = 0; i < 16; ++i) {
      pipeline.issue(base + 4 * i, 0xe5910000);
      pipeline.access(base + 0x1000 + 4 * i, 4, false);
    }
  EXPECT_EQ(pipeline.times().fetchMisses, 2u);
  EXPECT_EQ(pipeline.times().dataMisses, 2u);
  EXPECT_EQ(pipeline.times().accesses, 0u);
  EXPECT_EQ(transfers, (std::vector<Transfer>{{base, 32, false},
                                              {base + 0x1000, 32, false},
                                              {base + 32, 32, false},
                                              {base + 0x1020, 32, false}}));
}

TEST_F(XScalePipelineTest, ASetHolds32LinesAndWritesBackTheOldest) {
  XScalePipeline pipeline = make();
  pipeline.issue(base, 0xe5810000);
  for (uint32_t i = 0; i < 32; ++i)
    pipeline.access(base + 0x1000 + 1024 * i, 4, i == 0);
  for (uint32_t i = 0; i < 32; ++i)
    pipeline.access(base + 0x1000 + 1024 * i, 4, false);
  EXPECT_EQ(pipeline.times().dataMisses, 32u);
  transfers.clear();
  pipeline.access(base + 0x1000 + 1024 * 32, 4, false);
  EXPECT_EQ(transfers,
            (std::vector<Transfer>{{base + 0x1000, 32, true},
                                   {base + 0x1000 + 1024 * 32, 32, false}}));
  pipeline.access(base + 0x1000, 4, false);
  EXPECT_EQ(pipeline.times().dataMisses, 34u) << "it was replaced";
}

TEST_F(XScalePipelineTest, FourLoadsAndEightStoresAreUnderWay) {
  for (bool isWrite : {false, true}) {
    XScalePipeline pipeline = make();
    pipeline.issue(base, nop);
    double begin = pipeline.clock();
    double limit = isWrite ? 8 : 4;
    for (int i = 0; i < limit; ++i) {
      pipeline.issue(base, isWrite ? 0xe5810000 : 0xe5913000);
      pipeline.access(shared, 4, isWrite);
    }
    EXPECT_LE(pipeline.clock() - begin, limit + 8) << "none waits";
    pipeline.issue(base, isWrite ? 0xe5810000 : 0xe5913000);
    pipeline.access(shared, 4, isWrite);
    EXPECT_GE(pipeline.clock() - begin, 100);
    EXPECT_LE(pipeline.clock() - begin, 120);
    pipeline.finish();
    EXPECT_GE(pipeline.clock() - begin, 200);
  }
}

TEST_F(XScalePipelineTest, ALoadWaitsForItsUse) {
  XScalePipeline pipeline = make();
  pipeline.issue(base, nop);
  double begin = pipeline.clock();
  pipeline.issue(base + 4, 0xe5910000); // ldr r0, [r1]
  pipeline.access(shared, 4, false);
  for (int i = 0; i < 20; ++i)
    pipeline.issue(base + 8, 0xe1a02002);
  EXPECT_EQ(pipeline.clock() - begin, 21);
  pipeline.issue(base + 8, 0xe2800001); // add r0, r0, #1
  EXPECT_EQ(pipeline.clock() - begin, 102);
}

TEST_F(XScalePipelineTest, ADeviceAccessFollowsAllStores) {
  XScalePipeline pipeline = make();
  pipeline.issue(base, nop);
  double begin = pipeline.clock();
  pipeline.issue(base + 4, 0xe5810000);
  pipeline.access(shared, 4, true);
  pipeline.issue(base + 8, 0xe5910000);
  pipeline.accessDevice(0xcb400000, false);
  EXPECT_GE(pipeline.clock() - begin, 200);
}
