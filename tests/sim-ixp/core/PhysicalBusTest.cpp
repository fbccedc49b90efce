// The chip by physical address.

#include "sim-ixp/core/PhysicalBus.h"
#include "../OneEngine.h"
#include "sim-ixp/bus/ThreadInterrupts.h"
#include "sim-ixp/run/Chip.h"
#include "target-ixp/chip/MemoryMap.h"

#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::sim;
using target::Op;

namespace {

constexpr uint32_t interrupts = 0xd6000000;

class PhysicalBusTest : public sim::testing::OneEngine {
protected:
  PhysicalBusTest() { chip = std::make_unique<Chip>(parameters, observer); }
  uint32_t read(uint32_t address) {
    auto word = chip->physical().read(address);
    EXPECT_TRUE(word) << std::hex << address;
    return word.value_or(0);
  }
  void write(uint32_t address, uint32_t value) {
    EXPECT_TRUE(chip->physical().write(address, value)) << std::hex << address;
  }
};

TEST_F(PhysicalBusTest, MemoriesLieAtTheirAddresses) {
  write(target::XScaleDram + 0x1234560, 1);
  write(target::XScaleSram0 + 0x100, 2);
  write(target::XScaleSram1 + 0x100, 3);
  write(target::XScaleScratch + 0x200, 4);
  EXPECT_EQ(chip->dram().memory().readWord(0x1234560), 1u);
  EXPECT_EQ(chip->sram(0).memory().readWord(0x100), 2u);
  EXPECT_EQ(chip->sram(1).memory().readWord(0x100), 3u);
  EXPECT_EQ(chip->scratch().memory().readWord(0x200), 4u);
  EXPECT_EQ(read(target::XScaleSram1 + 0x100), 3u);
}

/// The core adds to any word of any channel, whatever the channels' size.
TEST(PhysicalBusSizes, AdditionsReachTheLastWordOfEachChannel) {
  for (uint64_t megabytes : {1, 4, 8, 16, 32, 64}) {
    target::ChipParameters parameters;
    parameters.sramBytes = megabytes << 20;
    parameters.sramChannels = 4;
    ChipObserver observer;
    Chip chip(parameters, observer);
    auto last = static_cast<uint32_t>(parameters.sramBytes - 4);
    for (uint32_t channel = 0; channel < 4; ++channel) {
      uint32_t part = channel << target::XScaleSramChannelShift;
      chip.sram(channel).memory().writeWord(last, 5);
      EXPECT_TRUE(chip.physical().write(target::XScaleSramAdd + part + last,
                                        channel + 1))
          << megabytes;
      EXPECT_EQ(chip.sram(channel).memory().readWord(last), 6 + channel)
          << megabytes << " MB, channel " << channel;
      EXPECT_EQ(chip.physical().read(target::XScaleSram0 + part + last),
                6 + channel);
    }
    if (megabytes < 64)
      EXPECT_FALSE(chip.physical().write(target::XScaleSramAdd + last + 4, 1));
  }
}

TEST_F(PhysicalBusTest, NothingIsBetweenTheUnits) {
  for (uint32_t address :
       {0x70000000u, 0xa0000000u, 0xc8000000u, 0xd6000000u, 0xfffffffcu}) {
    EXPECT_FALSE(chip->physical().read(address)) << std::hex << address;
    EXPECT_FALSE(chip->physical().write(address, 1)) << std::hex << address;
  }
}

TEST_F(PhysicalBusTest, ReadFollowsWhatUnitsHaveAccepted) {
  Command &command = chip->chassis().allocate();
  command = {};
  command.op = Op::DramWrite;
  command.kind = TransferKind::D;
  command.address = 0x100;
  command.count = 1;
  chip->engine(0).poke(reg::dOut, 7);
  ASSERT_TRUE(chip->chassis().issue(command));
  chip->runTo(20);
  EXPECT_EQ(chip->dram().memory().readWord(0x100), 0u) << "served too early";
  EXPECT_EQ(read(target::XScaleDram + 0x100), 7u);
}

/// Each of the threads that interrupt the core has a bit of its own; the host
/// is called in that cycle.
TEST_F(PhysicalBusTest, InterruptNamesItsThread) {
  std::vector<std::pair<uint32_t, uint32_t>> raised;
  chip->cap().onInterrupt([&](uint32_t which, uint32_t thread) {
    raised.emplace_back(which, thread);
  });
  // cap[fast_wr, 0, XSCALE_INT_A]; ctx_arb[kill]
  auto program = std::make_shared<MicroProgram>(
      prepareProgram({0x3300012f20, 0xe000010000}));
  for (uint32_t engine : {0u, 5u}) // hardware numbers 0 and 0x11
    chip->engine(engine).load(program);
  chip->engine(0).start(1u << 2);
  chip->engine(5).start(1u << 3);
  chip->runTo(1000);
  constexpr uint32_t first = 2, second = 64 + 8 + 3;
  EXPECT_EQ(raised, (std::vector<std::pair<uint32_t, uint32_t>>{{0, first},
                                                                {0, second}}));
  EXPECT_EQ(read(interrupts + 0x60), 1u << first) << "raw A";
  EXPECT_EQ(read(interrupts + 0x68), 1u << (second - 64));
  EXPECT_EQ(read(interrupts + 0x80), 0u) << "raw B";
  EXPECT_EQ(read(interrupts + 0xe0), 0u) << "none is enabled";
  write(interrupts + 0x160, 0xff);
  EXPECT_EQ(read(interrupts + 0xe0), 1u << first);
  EXPECT_EQ(read(interrupts + 0x160), 0xffu);
  write(interrupts + 0x1e0, 0xf0);
  EXPECT_EQ(read(interrupts + 0x160), 0x0fu);
  write(interrupts + 0x60, 1u << first);
  EXPECT_EQ(read(interrupts + 0xe0), 0u) << "cleared";
  EXPECT_EQ(read(interrupts + 0x68), 1u << (second - 64)) << "another word";
  EXPECT_FALSE(chip->physical().write(interrupts + 0xe0, 1)) << "read only";
}

TEST_F(PhysicalBusTest, CoreInterruptsWithoutAThread) {
  uint32_t thread = 0;
  chip->cap().onInterrupt([&](uint32_t, uint32_t by) { thread = by; });
  write(0xc0000000 + Cap::interruptB, 1);
  EXPECT_EQ(thread, noThread);
  EXPECT_EQ(read(interrupts + 0x80), 0u);
}

TEST_F(PhysicalBusTest, RunToMovesTheClock) {
  chip->runTo(500);
  EXPECT_EQ(chip->scheduler().now(), 500u);
  chip->runTo(100);
  EXPECT_EQ(chip->scheduler().now(), 500u) << "never back";
}

} // namespace
