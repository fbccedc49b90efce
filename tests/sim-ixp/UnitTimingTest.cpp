// The cycles at which units answer, computed by hand from the parameters below.
//
// A command that an engine issues in cycle 0 arrives in cycle 12. A unit has
// its operand address 14 cycles later. A word on a bus takes 2 cycles and
// arrives 10 after that (12 with the word's own). Both units are used without
// an engine around them.

#include "UnitAlone.h"
#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/memory/Sram.h"
#include "target-ixp/chip/ChipParameters.h"

#include <gmock/gmock.h>

#include <map>

using namespace karakal;
using namespace karakal::sim;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

/// Two engines, one in each cluster, and the units.
class UnitTimingTest : public testing::Test {
protected:
  UnitTimingTest() {
    parameters.meCount = 8;
    parameters.busCycles = 2;
    parameters.busCommandCycles = 2;
    parameters.busRequestCycles = 12;
    parameters.busReturnCycles = 12;
    parameters.busPushWordCycles = 2;
    parameters.capLatency = 40;
    parameters.sramLatency = 90;
    parameters.sramOpCycles = 9;
    parameters.sramWordCycles = 3;
    parameters.sramAtomicCycles = 12;
    parameters.sramQueueCycles = 10;
    make();
  }

  void make() {
    chassis = std::make_unique<Chassis>(scheduler, parameters);
    chassis->connectEngine(0, &engine);
    chassis->connectEngine(5, &other);
    cap = std::make_unique<Cap>(*chassis);
    sram = std::make_unique<Sram>(0, 1u << 20, *chassis, observer);
    chassis->connectUnit(target::FunctionalUnit::Cap, cap.get());
    chassis->connectUnit(target::FunctionalUnit::Sram, sram.get());
  }

  /// Issues a command of context 0 of engine 0 that raises `signal`.
  void issue(target::Op op, uint32_t address, uint32_t count, uint32_t signal) {
    Command &made = chassis->allocate();
    made = Command();
    made.op = op;
    made.address = address;
    made.count = uint8_t(count);
    made.signal = uint8_t(signal);
    ASSERT_TRUE(chassis->issue(made));
  }

  void run(uint64_t untilCycle) {
    while (scheduler.nextCycle() <= untilCycle)
      scheduler.runNext();
  }

  /// The cycles in which context 0 of engine 0 sees signals.
  std::vector<uint64_t> cycles() {
    run(100000);
    EXPECT_EQ(observer.first, "");
    return engine.signalCycles();
  }

  target::ChipParameters parameters;
  Scheduler scheduler;
  FirstFault observer;
  EngineStub engine, other;
  std::unique_ptr<Chassis> chassis;
  std::unique_ptr<Cap> cap;
  std::unique_ptr<Sram> sram;
};

constexpr uint32_t anyRegister = 0x5000;
/// The hardware number of engine 5: the second of the other cluster.
constexpr uint32_t engineFive = 16 + 1;

//===----------------------------------------------------------------------===//
// CAP
//===----------------------------------------------------------------------===//

TEST_F(UnitTimingTest, CapReadOfOneWordTakesTheLatency) {
  issue(target::Op::CapRead, anyRegister, 1, 3);
  EXPECT_THAT(cycles(), ElementsAre(40));
  EXPECT_EQ(cap->server().busyCycles(), 2u);
}

TEST_F(UnitTimingTest, FurtherWordsOfCapTakeTheBus) {
  issue(target::Op::CapRead, anyRegister, 8, 3);
  EXPECT_THAT(cycles(), ElementsAre(40 + 7 * 2));
  EXPECT_EQ(cap->server().busyCycles(), 16u);
}

TEST_F(UnitTimingTest, CapServesOneCommandAtATime) {
  // The second arrives 2 cycles later and waits until 16 have passed: it
  // begins in cycle 26 + 16, and its word comes 14 cycles after that.
  issue(target::Op::CapRead, anyRegister, 8, 3);
  issue(target::Op::CapRead, anyRegister, 1, 4);
  EXPECT_THAT(cycles(), ElementsAre(54, 26 + 16 + 2 + 2 + 10));
}

TEST_F(UnitTimingTest, CapWriteSignalsWhenItsOperandsAreRead) {
  // Pulled from cycle 12 on.
  engine.transferOut[0] = 77;
  engine.transferOut[1] = 78;
  issue(target::Op::CapWrite, anyRegister, 2, 3);
  EXPECT_THAT(cycles(), ElementsAre(12 + 2 * 2 + 12));
  EXPECT_EQ(cap->readRegister(anyRegister), 77u);
  EXPECT_EQ(cap->readRegister(anyRegister + 4), 78u);
}

TEST_F(UnitTimingTest, CapWriteTakesEffectWhenAllOperandsAreThere) {
  // Two words are there in cycle 28, and one in 26, when the address is.
  engine.transferOut[0] = engineFive << 7 | 2u << 4 | 9;
  issue(target::Op::CapWrite, Cap::interThreadSignal, 1, 0);
  run(1000);
  EXPECT_THAT(other.received, ElementsAre(Signals{26, 2, 1u << 9}));
}

TEST_F(UnitTimingTest, FastWriteOfCapTakesEffectAsItArrives) {
  Command &made = chassis->allocate();
  made = Command();
  made.op = target::Op::CapFastWr;
  made.address = Cap::interThreadSignal;
  made.data[0] = engineFive << 7 | 2u << 4 | 9;
  ASSERT_TRUE(chassis->issue(made));
  run(1000);
  EXPECT_THAT(other.received, ElementsAre(Signals{12, 2, 1u << 9}));
  // It carries its data, so the writer sees no signal.
  EXPECT_THAT(engine.received, IsEmpty());
}

TEST_F(UnitTimingTest, ReflectedWordsArriveAsPushedOnes) {
  // Two words are pulled until 28, then sent to registers 3 and 4 of context 2:
  // 2 cycles of data, 4 on the bus and 10 to the engine.
  engine.transferOut[0] = 77;
  engine.transferOut[1] = 78;
  issue(target::Op::CapWrite,
        Cap::reflector + (3u << 12 | engineFive << 7 | 2u << 4 | 9), 2, 0);
  run(1000);
  EXPECT_THAT(other.received,
              ElementsAre(Signals{28 + 2 + 4 + 10, 2, 1u << 9}));
  EXPECT_EQ(other.transferIn[2][3], 77u);
  EXPECT_EQ(other.transferIn[2][4], 78u);
}

TEST_F(UnitTimingTest, SelfDestructCollectsBitsAndARereadIsEmpty) {
  for (uint32_t bit : {3, 31, 32 + 4})
    cap->writeRegister(Cap::selfDestruct, bit, 0);
  EXPECT_EQ(cap->readRegister(Cap::selfDestruct), 1u << 3 | 1u << 31 | 1u << 4);
  EXPECT_EQ(cap->readRegister(Cap::selfDestruct), 0u);
  // The second word is one, and what follows is a register as others.
  cap->writeRegister(Cap::selfDestruct + 4, 1, 0);
  EXPECT_EQ(cap->readRegister(Cap::selfDestruct + 4), 2u);
  cap->writeRegister(Cap::selfDestruct + 8, 1, 0);
  EXPECT_EQ(cap->readRegister(Cap::selfDestruct + 8), 1u);
  EXPECT_EQ(cap->readRegister(Cap::selfDestruct + 8), 1u);
}

TEST_F(UnitTimingTest, ThreadMessagesAndInterruptsAreReadOnce) {
  for (uint32_t offset : {Cap::threadMessage, Cap::threadMessage + 127 * 4,
                          Cap::interruptA, Cap::interruptB}) {
    cap->writeRegister(offset, 7, 0);
    EXPECT_EQ(cap->readRegister(offset), 7u) << offset;
    EXPECT_EQ(cap->readRegister(offset), 0u) << offset;
  }
  cap->writeRegister(Cap::threadMessage + 128 * 4, 7, 0);
  EXPECT_EQ(cap->readRegister(Cap::threadMessage + 128 * 4), 7u);
  EXPECT_EQ(cap->readRegister(Cap::threadMessage + 128 * 4), 7u);
}

TEST_F(UnitTimingTest, AnInterruptSaysWhich) {
  std::vector<uint32_t> raised;
  cap->onInterrupt([&](uint32_t which, uint32_t) { raised.push_back(which); });
  cap->writeRegister(Cap::interruptB, 1, 0);
  cap->writeRegister(Cap::interruptA, 1, 0);
  cap->writeRegister(anyRegister, 1, 0);
  EXPECT_THAT(raised, ElementsAre(1, 0));
}

//===----------------------------------------------------------------------===//
// The ports of an SRAM channel
//===----------------------------------------------------------------------===//

TEST_F(UnitTimingTest, SramReadOfOneWordTakesTheLatency) {
  issue(target::Op::SramRead, 0, 1, 3);
  EXPECT_THAT(cycles(), ElementsAre(90));
  EXPECT_EQ(sram->reader().busyCycles(), 9u);
  EXPECT_EQ(sram->writer().busyCycles(), 0u);
}

TEST_F(UnitTimingTest, FurtherWordsOfSramTakeTheMemory) {
  issue(target::Op::SramRead, 0, 8, 3);
  EXPECT_THAT(cycles(), ElementsAre(90 + 7 * 3));
  EXPECT_EQ(sram->reader().busyCycles(), 9u + 7 * 3);
}

TEST_F(UnitTimingTest, FurtherWordsOfFastSramTakeTheBus) {
  parameters.sramWordCycles = 1;
  make();
  issue(target::Op::SramRead, 0, 8, 3);
  EXPECT_THAT(cycles(), ElementsAre(90 + 7 * 2));
  EXPECT_EQ(sram->reader().busyCycles(), 9u + 7 * 1);
}

TEST_F(UnitTimingTest, AReadWaitsForTheReadBeforeIt) {
  // It arrives in 14 and could begin in 28, but the port is free in 26 + 30.
  issue(target::Op::SramRead, 0, 8, 3);
  issue(target::Op::SramRead, 64, 1, 4);
  EXPECT_THAT(cycles(), ElementsAre(111, 26 + 30 + 64));
}

TEST_F(UnitTimingTest, AWriteDoesNotWaitForARead) {
  // Its operand is there in 14 + 2 + 12, which is when it begins.
  engine.transferOut[0] = 77;
  issue(target::Op::SramRead, 0, 8, 3);
  issue(target::Op::SramWrite, 64, 1, 4);
  run(27);
  EXPECT_EQ(sram->memory().readWord(64), 0u);
  run(28);
  EXPECT_EQ(sram->memory().readWord(64), 77u);
  run(1000);
  EXPECT_EQ(sram->writer().busyCycles(), 9u);
  EXPECT_EQ(sram->reader().busyCycles(), 30u);
  EXPECT_THAT(engine.received,
              ElementsAre(Signals{28, 0, 1u << 4}, Signals{111, 0, 1u << 3}));
}

TEST_F(UnitTimingTest, AWriteWaitsForTheWriteBeforeIt) {
  // Four words are there in 12 + 8 + 12 and occupy the port for 18 cycles.
  engine.transferOut[0] = 77;
  issue(target::Op::SramWrite, 0, 4, 3);
  issue(target::Op::SramWrite, 64, 1, 4);
  run(32 + 18 - 1);
  EXPECT_EQ(sram->memory().readWord(64), 0u);
  run(32 + 18);
  EXPECT_EQ(sram->memory().readWord(64), 77u);
}

TEST_F(UnitTimingTest, CommandsBeginInTheOrderOfTheirArrival) {
  // The read could begin in 28, but the write before it begins in 32.
  issue(target::Op::SramWrite, 0, 4, 3);
  issue(target::Op::SramRead, 64, 1, 4);
  EXPECT_THAT(cycles(), ElementsAre(32, 32 + 64));
}

TEST_F(UnitTimingTest, AnAtomicCommandTakesBothPorts) {
  engine.transferOut[0] = 5;
  issue(target::Op::SramWrite, 64, 1, 1);   // from 26 to 35
  issue(target::Op::SramTestAdd, 64, 1, 2); // waits, from 35 to 47
  issue(target::Op::SramRead, 0, 1, 4);     // waits, from 47 on
  issue(target::Op::SramWrite, 0, 1, 5);    // the same
  run(46);
  EXPECT_EQ(sram->memory().readWord(0), 0u);
  run(47);
  EXPECT_EQ(sram->memory().readWord(0), 5u);
  run(10000);
  EXPECT_EQ(sram->memory().readWord(64), 10u);
  EXPECT_EQ(sram->reader().busyCycles(), 12u + 9);
  EXPECT_EQ(sram->writer().busyCycles(), 9u + 12 + 9);
  // Signal 2 says that the operand was read, 3 that the old value is there, 64
  // cycles after the command began. The word that was read takes as long.
  std::map<uint32_t, uint64_t> cycleOf;
  for (const Signals &signals : engine.received)
    cycleOf[signals.mask] = signals.cycle;
  EXPECT_EQ(cycleOf[1u << 2], 28u);
  EXPECT_EQ(cycleOf[1u << 3], 35u + 64);
  EXPECT_EQ(cycleOf[1u << 4], 47u + 64);
}

TEST_F(UnitTimingTest, QueuesAndRingsTakeTheQueueTimeAndTheirWords) {
  sram->makeRing(3, 0x1000, 512);
  const uint32_t ring = 3u << 24;
  issue(target::Op::SramPut, ring, 4, 1);
  run(1000);
  EXPECT_EQ(sram->writer().busyCycles(), 10u + 3 * 3);
  issue(target::Op::SramGet, ring, 2, 2);
  run(2000);
  EXPECT_EQ(sram->reader().busyCycles(), 10u + 3);
  sram->fillQueue(4, 0x40);
  issue(target::Op::SramDequeue, 4u << 24, 1, 3);
  run(3000);
  EXPECT_EQ(sram->reader().busyCycles(), 10u + 3 + 10);
  issue(target::Op::SramEnqueue, 4u << 24 | 0x40, 1, 0);
  run(4000);
  EXPECT_EQ(sram->writer().busyCycles(), 10u + 3 * 3 + 10);
  EXPECT_EQ(observer.first, "");
}

TEST_F(UnitTimingTest, AnAddressOutsideOfTheChannelIsAFault) {
  issue(target::Op::SramRead, (1u << 20) - 4, 1, 3);
  run(1000);
  EXPECT_EQ(observer.first, "");
  issue(target::Op::SramRead, (1u << 20) - 4, 2, 3);
  run(2000);
  EXPECT_THAT(observer.first, testing::HasSubstr("out of range"));
}

} // namespace
