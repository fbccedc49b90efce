// What became of each buffer.

#include "sim-ixp/observe/PacketAccounting.h"
#include "target-ixp/chip/MemoryMap.h"

#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint32_t rx = 0, app = 1, tx = 7;

class PacketAccountingTest : public ::testing::Test {
protected:
  PacketAccountingTest() : books(plan()) {}

  static AccountingPlan plan() {
    AccountingPlan plan;
    plan.roles[rx] = EngineRole::Rx;
    plan.roles[app] = EngineRole::App;
    plan.roles[tx] = EngineRole::Tx;
    plan.bufferCount = 8;
    plan.firstHandle = target::HandleFirst;
    plan.handleStep = target::HandleStep;
    plan.scratchGlobals = {{0x2400, 0x2500}};
    plan.sramGlobals = {
        {target::sramAddress(1, 0), target::sramAddress(1, 64)}};
    return plan;
  }
  uint32_t handle(uint32_t n) { return target::handleOfBuffer(n); }
  void receive(uint32_t n) {
    books.onDequeue(0, 0, handle(n), rx);
    books.onRingPut(0, handle(n), rx);
  }
  void command(uint8_t engine, target::Op op, uint32_t address) {
    Command command;
    command.engine = engine;
    command.op = op;
    command.address = address;
    books.onCommand(command);
  }

  PacketAccounting books;
};

} // namespace

TEST_F(PacketAccountingTest, TheGiverDecidesWhatBecameOfAPacket) {
  for (uint32_t n = 0; n < 3; ++n)
    receive(n);
  EXPECT_EQ(books.outstandingCount(), 3u);
  books.onEnqueue(0, 0, handle(0), tx);
  books.onEnqueue(0, 0, handle(1), app);
  books.onEnqueue(0, 0, handle(2), xscaleActor);
  const PacketCounters &counters = books.counters();
  EXPECT_EQ(counters.received, 3u);
  EXPECT_EQ(counters.forwarded, 1u);
  EXPECT_EQ(counters.dropped, 1u);
  EXPECT_EQ(counters.consumed, 1u);
  EXPECT_EQ(books.outstandingCount(), 0u);
}

TEST_F(PacketAccountingTest, RxsStockIsNoPacket) {
  books.onDequeue(0, 0, handle(0), rx);
  EXPECT_EQ(books.outstandingCount(), 0u);
  books.onEnqueue(0, 0, handle(0), rx);
  EXPECT_EQ(books.counters().received, 0u);
  EXPECT_EQ(books.counters().dropped, 0u);
  EXPECT_FALSE(books.fault().has_value());
}

TEST_F(PacketAccountingTest, CopiesAreCountedApart) {
  receive(0);
  books.onDequeue(0, 0, handle(1), app);
  EXPECT_EQ(books.outstandingCount(), 2u);
  books.onEnqueue(0, 0, handle(1), tx);
  books.onEnqueue(0, 0, handle(0), tx);
  EXPECT_EQ(books.counters().forwarded, 1u);
  EXPECT_EQ(books.counters().copied, 1u);
  EXPECT_EQ(books.counters().copiesEnded, 1u);
}

TEST_F(PacketAccountingTest, AnAddressSaysWhoseAccessItIs) {
  command(app, target::Op::SramRead, target::sramAddress(1, 60)); // program's
  command(app, target::Op::SramRead, target::sramAddress(1, 64));
  command(app, target::Op::SramRead, 60);
  command(app, target::Op::ScratchRead, 0x2400); // program's
  command(app, target::Op::ScratchIncr, target::DropCounterBase);
  command(app, target::Op::ScratchPut, 4);
  command(app, target::Op::DramRead, 0);
  command(rx, target::Op::DramRead, 0);
  command(app, target::Op::SramEnqueue, 0);
  const PacketCounters &counters = books.counters();
  EXPECT_EQ(counters.appSram, 1u);
  EXPECT_EQ(counters.packetSram, 3u);
  EXPECT_EQ(counters.appScratch, 1u);
  EXPECT_EQ(counters.packetScratch, 2u);
  EXPECT_EQ(counters.packetDram, 1u);
}

TEST_F(PacketAccountingTest, AGetCountsWhenItFoundSomething) {
  Command get;
  get.engine = app;
  get.op = target::Op::ScratchGet;
  books.onCommand(get);
  books.onEmptyGet(get);
  EXPECT_EQ(books.counters().packetScratch, 0u);
  EXPECT_EQ(books.counters().emptyPolls, 1u);
  books.onCommand(get);
  books.onFilledGet(get);
  EXPECT_EQ(books.counters().packetScratch, 1u);
}

TEST_F(PacketAccountingTest, ABufferFreedTwiceIsAFault) {
  receive(0);
  books.onEnqueue(0, 0, handle(0), tx);
  books.onEnqueue(0, 0, handle(0), tx);
  ASSERT_TRUE(books.fault().has_value());
  EXPECT_NE(books.fault()->find("already free"), std::string::npos);
}

TEST_F(PacketAccountingTest, AStrangeHandleIsAFault) {
  books.onEnqueue(0, 0, handle(0) + 1, app);
  ASSERT_TRUE(books.fault().has_value());
  EXPECT_NE(books.fault()->find("is not the handle of a buffer"),
            std::string::npos);
}

TEST_F(PacketAccountingTest, OtherQueuesAreTheProgramsOwn) {
  books.onDequeue(0, 5, 1234, app);
  books.onEnqueue(1, 0, 1234, app);
  EXPECT_FALSE(books.fault().has_value());
  EXPECT_EQ(books.counters().copied, 0u);
}
