// Does a slow unit hold its engines back?
//
// A unit's inlet has few places. The cycles are computed by hand: a command
// that an engine issues in cycle t leaves its FIFO in t + 3 and arrives in
// t + 12; an SRAM read can be served 14 cycles later and signals 64 after that.

#include "../OneEngine.h"
#include "../UnitAlone.h"
#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/memory/Sram.h"

#include <gmock/gmock.h>

#include <memory>

using namespace karakal;
using namespace karakal::sim;
using target::Op;
using ::testing::ElementsAre;

namespace {

/// Engines 0 and 1 of a cluster, engine 5 of the other one, and two units.
class InletTest : public ::testing::Test {
protected:
  InletTest() {
    parameters.busCommandCycles = 2;
    parameters.busRequestCycles = parameters.busReturnCycles = 12;
    parameters.busPushWordCycles = 2;
    parameters.sramLatency = 90;
    parameters.sramOpCycles = 9;
    parameters.capLatency = 40;
    parameters.meCommandFifo = 2;
    parameters.busInlet = 1;
    chassis = std::make_unique<Chassis>(scheduler, parameters);
    for (uint32_t i : {0u, 1u, 5u})
      chassis->connectEngine(i, &engines[i]);
    cap = std::make_unique<Cap>(*chassis);
    for (uint32_t i : {0u, 1u})
      channels[i] = std::make_unique<Sram>(i, 1u << 20, *chassis, observer);
    selector = std::make_unique<SramSelector>(
        std::vector<Sram *>{channels[0].get(), channels[1].get()}, *chassis,
        observer);
    chassis->connectUnit(target::FunctionalUnit::Cap, cap.get());
    chassis->connectUnit(target::FunctionalUnit::Sram, selector.get());
  }

  void issue(Op op, uint32_t engine, uint32_t address = 0) {
    Command &made = chassis->allocate();
    made = Command();
    made.op = op;
    made.engine = uint8_t(engine);
    made.address = address;
    made.count = 1;
    made.signal = 3;
    ASSERT_TRUE(chassis->issue(made));
  }
  void read(uint32_t engine, uint32_t channel = 0) {
    issue(Op::SramRead, engine, channel << 30);
  }

  void run(uint64_t untilCycle = 10000) {
    while (scheduler.nextCycle() <= untilCycle)
      scheduler.runNext();
    EXPECT_EQ(observer.first, "");
  }

  target::ChipParameters parameters;
  Scheduler scheduler;
  FirstFault observer;
  EngineStub engines[8];
  std::unique_ptr<Chassis> chassis;
  std::unique_ptr<Cap> cap;
  std::unique_ptr<Sram> channels[2];
  std::unique_ptr<SramSelector> selector;
};

TEST_F(InletTest, ACommandWaitsUntilTheOneBeforeItIsServed) {
  // The first is served in 26, so the second leaves in 29 and arrives in 38.
  read(0);
  read(0);
  run();
  EXPECT_THAT(engines[0].signalCycles(), ElementsAre(90, 26 + 12 + 14 + 64));
}

TEST_F(InletTest, TheFifoIsFullUntilTheWaitingCommandLeaves) {
  read(0);
  EXPECT_LE(chassis->fifoFreeCycle(0), 0u);
  read(0);
  EXPECT_EQ(chassis->fifoFreeCycle(0), 3u);
  read(0); // the first has left by then
  EXPECT_EQ(chassis->fifoFreeCycle(0), Scheduler::never);
  run(25);
  EXPECT_EQ(chassis->fifoFreeCycle(0), Scheduler::never);
  run(26);
  EXPECT_EQ(chassis->fifoFreeCycle(0), 29u);
}

TEST_F(InletTest, WhatFollowsInTheFifoWaitsAndOtherEnginesDoNot) {
  read(0);
  read(0);
  issue(Op::CapRead, 0, 0x5000); // leaves in 31, after the second read
  issue(Op::CapRead, 5, 0x5000);
  run();
  EXPECT_THAT(engines[0].signalCycles(), ElementsAre(31 + 37, 90, 116));
  EXPECT_THAT(engines[5].signalCycles(), ElementsAre(40));
}

TEST_F(InletTest, EachChannelOfSramHasItsInlet) {
  read(0, 0);
  read(0, 1); // leaves 2 cycles later, for the command bus is one
  run();
  EXPECT_THAT(engines[0].signalCycles(), ElementsAre(90, 92));
}

TEST_F(InletTest, APlaceGoesToTheOldestFirstCommandOfAnEngine) {
  read(0);                       // served in 26
  read(5);                       // second: served in 52
  issue(Op::CapRead, 0, 0x5000); // does not wait
  read(1);                       // third: served in 78
  read(0);                       // fourth: served in 104
  run();
  EXPECT_THAT(engines[5].signalCycles(), ElementsAre(52 + 64));
  EXPECT_THAT(engines[1].signalCycles(), ElementsAre(78 + 64));
  EXPECT_THAT(engines[0].signalCycles(), ElementsAre(42, 90, 104 + 64));
}

} // namespace

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

class EnginesAreHeldBack : public sim::testing::OneEngine {
protected:
  static target::Instruction increment() {
    return target::command(Op::SramIncr, target::none(), target::imm(0),
                           target::gprB(15), 0);
  }
};

TEST_F(EnginesAreHeldBack, AnEngineStallsForWhatInletAndFifoDoNotHold) {
  // The service of command k begins in 26 + (k - 1) * 12. Of 60 commands the
  // last is issued when the FIFO has a place for it: when the command that many
  // before it leaves, 3 cycles after the service of the one that is the inlet's
  // size before that.
  for (uint64_t fifo : {1, 2, 4, 8})
    for (uint64_t inlet : {1, 3, 16}) {
      parameters.meCommandFifo = fifo;
      parameters.busInlet = inlet;
      parameters.sramAtomicCycles = 12;
      chip = std::make_unique<Chip>(parameters, observer);
      run(sim::testing::Program(60, increment()));
      uint64_t period = inlet == 1 ? 26 : 12;
      double lastIssue =
          26.0 + static_cast<double>((59 - fifo - inlet) * period) + 3;
      EngineCounters counters = chip->engine(0).countersAt(endCycle());
      EXPECT_NEAR(static_cast<double>(counters.stallCycles) + 59, lastIssue, 2)
          << "FIFO of " << fifo << ", inlet of " << inlet;
      EXPECT_EQ(chip->sram(0).memory().readWord(0), 60u);
    }
}

TEST_F(EnginesAreHeldBack, AStalledEngineIsCountedAtAnyCycle) {
  parameters.meCommandFifo = parameters.busInlet = 1;
  parameters.sramAtomicCycles = 1000;
  load(sim::testing::Program(5, increment()));
  for (uint64_t cycle : {100, 500, 1500}) {
    chip->runTo(cycle);
    EngineCounters counters = chip->engine(0).countersAt(cycle);
    EXPECT_EQ(counters.total(), cycle);
    EXPECT_GT(counters.stallCycles, cycle * 9 / 10 - 20) << cycle;
    EXPECT_EQ(counters.idleCycles, 0u);
  }
}
