// The outcome of each buffer.

#include "sim-ixp/observe/PacketAccounting.h"
#include "target-ixp/chip/DropReasons.h"

#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint32_t rx = 0, app = 1, tx = 7;

class PacketAccountingTest : public ::testing::Test {
protected:
  PacketAccountingTest() : accounting(plan()) {}

  static AccountingPlan plan() {
    AccountingPlan plan;
    plan.roles[rx] = EngineRole::Rx;
    plan.roles[app] = EngineRole::App;
    plan.roles[tx] = EngineRole::Tx;
    plan.bufferCount = 8;
    plan.firstHandle = target::HandleFirst;
    plan.handleStep = target::HandleStep;
    plan.dropCounters = target::DropCounterBase;
    plan.scratchGlobals = {{0x2400, 0x2500}};
    plan.sramGlobals = {
        {target::sramAddress(1, 0), target::sramAddress(1, 64)}};
    return plan;
  }
  uint32_t handle(uint32_t n) { return target::handleOfBuffer(n); }
  void receive(uint32_t n) {
    accounting.onDequeue(0, 0, handle(n), rx);
    accounting.onRingPut(0, handle(n), rx);
  }
  void command(uint8_t engine, target::Op op, uint32_t address) {
    Command command;
    command.engine = engine;
    command.op = op;
    command.address = address;
    accounting.onCommand(command);
  }

  PacketAccounting accounting;
};

} // namespace

TEST_F(PacketAccountingTest, TheActorThatFreesABufferDeterminesItsOutcome) {
  for (uint32_t n = 0; n < 3; ++n)
    receive(n);
  EXPECT_EQ(accounting.outstandingCount(), 3u);
  accounting.onEnqueue(0, 0, handle(0), tx);
  accounting.onEnqueue(0, 0, handle(1), app);
  accounting.onEnqueue(0, 0, handle(2), xscaleActor);
  const PacketCounters &counters = accounting.counters();
  EXPECT_EQ(counters.received, 3u);
  EXPECT_EQ(counters.forwarded, 1u);
  EXPECT_EQ(counters.dropped, 1u);
  EXPECT_EQ(counters.consumed, 1u);
  EXPECT_EQ(accounting.outstandingCount(), 0u);
}

TEST_F(PacketAccountingTest, BuffersHeldByRxAreNotPackets) {
  accounting.onDequeue(0, 0, handle(0), rx);
  EXPECT_EQ(accounting.outstandingCount(), 0u);
  accounting.onEnqueue(0, 0, handle(0), rx);
  EXPECT_EQ(accounting.counters().received, 0u);
  EXPECT_EQ(accounting.counters().dropped, 0u);
  EXPECT_FALSE(accounting.fault().has_value());
}

TEST_F(PacketAccountingTest, CopiesAreCountedSeparately) {
  receive(0);
  accounting.onDequeue(0, 0, handle(1), app);
  EXPECT_EQ(accounting.outstandingCount(), 2u);
  accounting.onEnqueue(0, 0, handle(1), tx);
  accounting.onEnqueue(0, 0, handle(0), tx);
  EXPECT_EQ(accounting.counters().forwarded, 1u);
  EXPECT_EQ(accounting.counters().copied, 1u);
  EXPECT_EQ(accounting.counters().copiesEnded, 1u);
}

TEST_F(PacketAccountingTest, TxDropsThePacketForWhichItCountsADrop) {
  for (uint32_t i = 0; i < 3; ++i)
    receive(i);
  Command drop;
  drop.engine = tx;
  drop.context = 5;
  drop.op = target::Op::ScratchIncr;
  drop.address = target::DropCounterBase + 4 * target::DropNoPort;
  accounting.onCommand(drop);
  // Another context sends a packet meanwhile.
  Command free = drop;
  free.op = target::Op::SramEnqueue;
  free.address = target::FreeListEntry << 24 | handle(0);
  free.context = 4;
  accounting.onCommand(free);
  free.context = 5;
  free.address = target::FreeListEntry << 24 | handle(1);
  accounting.onCommand(free);
  for (uint32_t i = 0; i < 2; ++i)
    accounting.onEnqueue(0, 0, handle(i), tx);
  EXPECT_EQ(accounting.counters().forwarded, 1u);
  EXPECT_EQ(accounting.counters().dropped, 1u);
  // The next packet of the context is sent.
  accounting.onEnqueue(0, 0, handle(2), tx);
  EXPECT_EQ(accounting.counters().forwarded, 2u);
}

TEST_F(PacketAccountingTest, TheAddressDeterminesTheKindOfAccess) {
  command(app, target::Op::SramRead, target::sramAddress(1, 60)); // program's
  command(app, target::Op::SramRead, target::sramAddress(1, 64));
  command(app, target::Op::SramRead, 60);
  command(app, target::Op::ScratchRead, 0x2400); // program's
  command(app, target::Op::ScratchIncr, target::DropCounterBase);
  command(app, target::Op::ScratchPut, 4);
  command(app, target::Op::DramRead, 0);
  command(rx, target::Op::DramRead, 0);
  command(app, target::Op::SramEnqueue, 0);
  command(app, target::Op::Hash48, 0);
  command(app, target::Op::MsfRead, 0);
  command(rx, target::Op::MsfFastWr, 0);
  command(app, target::Op::CapFastWr, 0);
  command(app, target::Op::CapFastWr, 0);
  const PacketCounters &counters = accounting.counters();
  EXPECT_EQ(counters.appSram, 1u);
  EXPECT_EQ(counters.packetSram, 3u);
  EXPECT_EQ(counters.appScratch, 1u);
  EXPECT_EQ(counters.packetScratch, 2u);
  EXPECT_EQ(counters.packetDram, 1u);
  EXPECT_EQ(counters.hash, 1u);
  EXPECT_EQ(counters.msf, 1u);
  EXPECT_EQ(counters.cap, 2u);
}

TEST_F(PacketAccountingTest, OnlyAGetThatReturnsAWordIsAnAccess) {
  Command get;
  get.engine = app;
  get.op = target::Op::ScratchGet;
  accounting.onCommand(get);
  accounting.onEmptyGet(get);
  EXPECT_EQ(accounting.counters().packetScratch, 0u);
  EXPECT_EQ(accounting.counters().emptyPolls, 1u);
  accounting.onCommand(get);
  accounting.onFilledGet(get);
  EXPECT_EQ(accounting.counters().packetScratch, 1u);
}

TEST_F(PacketAccountingTest, ABufferFreedTwiceIsAFault) {
  receive(0);
  accounting.onEnqueue(0, 0, handle(0), tx);
  accounting.onEnqueue(0, 0, handle(0), tx);
  ASSERT_TRUE(accounting.fault().has_value());
  EXPECT_NE(accounting.fault()->find("already free"), std::string::npos);
}

TEST_F(PacketAccountingTest, AnInvalidHandleIsAFault) {
  accounting.onEnqueue(0, 0, handle(0) + 1, app);
  ASSERT_TRUE(accounting.fault().has_value());
  EXPECT_NE(accounting.fault()->find("is not the handle of a buffer"),
            std::string::npos);
}

TEST_F(PacketAccountingTest, OtherQueuesAreIgnored) {
  accounting.onDequeue(0, 5, 1234, app);
  accounting.onEnqueue(1, 0, 1234, app);
  EXPECT_FALSE(accounting.fault().has_value());
  EXPECT_EQ(accounting.counters().copied, 0u);
}
