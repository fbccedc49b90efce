// When does DRAM serve, and what do its buses carry?
//
// The cycles are computed by hand from the parameters below. A command that an
// engine issues in cycle 0 arrives in cycle 12, the next one 2 cycles later. A
// read can be served 14 cycles after its arrival, and its signal comes 94
// cycles after the start of its service.

#include "../UnitAlone.h"
#include "sim-ixp/memory/Dram.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"

#include <gmock/gmock.h>

#include <memory>
#include <random>

using namespace karakal;
using namespace karakal::sim;
using target::Op;

namespace {

class DramBusTest : public testing::Test {
protected:
  DramBusTest() {
    parameters.busCommandCycles = 2;
    parameters.busRequestCycles = parameters.busReturnCycles = 12;
    parameters.busPushWordCycles = parameters.busDramWordCycles = 2;
    parameters.dramLatency = 120;
    parameters.dramQuadCycles = 2;
    parameters.dramBurstQuads = 8; // 16 cycles of the data bus
    parameters.dramBanks = 4;
    parameters.dramBankBytes = 256;
    parameters.dramBankCycles = 36;
    parameters.dramTurnaroundCycles = 4;
    parameters.dramRefreshCycles = 0;
    make();
  }

  void make() {
    scheduler = std::make_unique<Scheduler>();
    chassis = std::make_unique<Chassis>(*scheduler, parameters);
    engine = EngineStub();
    chassis->connectEngine(0, &engine);
    dram = std::make_unique<Dram>(1u << 20, *chassis, observer);
    chassis->connectUnit(target::FunctionalUnit::Dram, dram.get());
    signal = 0;
  }

  /// Issues a command whose number, from 1 on, is that of its signal pair.
  Command &issue(Op op, uint32_t address, uint32_t quads = 1) {
    Command &made = chassis->allocate();
    made = Command();
    made.op = op;
    made.address = address;
    made.count = uint8_t(quads);
    made.kind = TransferKind::D;
    made.signal = uint8_t(2 * ++signal);
    EXPECT_TRUE(chassis->issue(made));
    return made;
  }

  void run(uint64_t untilCycle) {
    while (scheduler->nextCycle() <= untilCycle)
      scheduler->runNext();
  }

  /// The cycle of the signal of command `number`.
  uint64_t cycleOf(uint32_t number) {
    run(100000);
    EXPECT_EQ(observer.first, "");
    for (const Signals &signals : engine.received)
      if (signals.mask >> 2 * number & 1)
        return signals.cycle;
    ADD_FAILURE() << "command " << number << " has not ended";
    return 0;
  }

  target::ChipParameters parameters;
  std::unique_ptr<Scheduler> scheduler;
  FirstFault observer;
  EngineStub engine;
  std::unique_ptr<Chassis> chassis;
  std::unique_ptr<Dram> dram;
  uint32_t signal = 0;
};

constexpr uint32_t bankOne = 256, bankTwo = 512, bankThree = 768;

//===----------------------------------------------------------------------===//
// Banks and the data bus
//===----------------------------------------------------------------------===//

TEST_F(DramBusTest, ACommandThatWaitsForItsBankLeavesTheBusToOthers) {
  parameters.dramBankCycles = 300;
  make();
  issue(Op::DramRead, 0);       // from 26, the bus until 42
  issue(Op::DramRead, 8);       // its bank is free in 326
  issue(Op::DramRead, bankOne); // ready in 30, the bus is free in 42
  EXPECT_EQ(cycleOf(1), 26u + 94);
  EXPECT_EQ(cycleOf(2), 326u + 94);
  EXPECT_EQ(cycleOf(3), 42u + 94);
}

TEST_F(DramBusTest, ABankIsBusyUntilTheBusHasServedIt) {
  // The bus serves the four banks in 26, 42, 58 and 74. So the last bank is
  // free in 74 + 36, though the bus was in 74 + 16.
  for (uint32_t address : {0u, bankOne, bankTwo, bankThree, bankThree})
    issue(Op::DramRead, address);
  EXPECT_EQ(cycleOf(4), 74u + 94);
  EXPECT_EQ(cycleOf(5), 74u + 36 + 94);
}

TEST_F(DramBusTest, ATurnaroundIsBetweenTransfersOnly) {
  engine.transferOut[0] = 7;
  issue(Op::DramRead, 0);        // from 26 to 42
  issue(Op::DramWrite, bankOne); // from 46 to 62
  issue(Op::DramRead, bankTwo);  // from 66 on
  run(45);
  EXPECT_EQ(dram->memory().readWord(bankOne), 0u);
  run(46);
  EXPECT_EQ(dram->memory().readWord(bankOne), 7u);
  EXPECT_EQ(cycleOf(3), 66u + 94);
  EXPECT_EQ(dram->bus().busyCycles(), 3u * 16 + 2 * 4);
  // A write after a long time waits for nothing.
  scheduler->advanceTo(1000);
  issue(Op::DramWrite, bankThree);
  run(1000 + 12 + 2 * 2 + 12);
  EXPECT_EQ(dram->memory().readWord(bankThree), 7u);
}

TEST_F(DramBusTest, WithErrorCorrectionAPartOfAQuadwordIsReadFirst) {
  // The bank is free 36 cycles after each access of it.
  auto readAfterWrite = [&](uint32_t mask) {
    make();
    Command &write = issue(Op::DramWrite, 0);
    write.isIndirect = true;
    write.indirectWord =
        target::IndirectByteMask | mask << target::IndirectByteMaskShift;
    issue(Op::DramRead, 8);
    return cycleOf(2);
  };
  const uint64_t whole = readAfterWrite(0xff);
  EXPECT_EQ(readAfterWrite(0x0f), whole);
  parameters.dramEcc = 1;
  EXPECT_EQ(readAfterWrite(0xff), whole);
  EXPECT_EQ(readAfterWrite(0x0f), whole + 36);
  EXPECT_EQ(readAfterWrite(0x01), whole + 36);
}

//===----------------------------------------------------------------------===//
// Buffers of the media interface
//===----------------------------------------------------------------------===//

/// Buffers without ports: RBUF holds 0x55, and TBUF is a copy.
class Buffers : public MediaInterface {
public:
  std::vector<uint8_t> sent = std::vector<uint8_t>(target::MsfBufferBytes);
  void readRbuf(uint32_t, uint8_t *to, uint32_t bytes) override {
    std::fill_n(to, bytes, 0x55);
  }
  void writeTbuf(uint32_t address, const uint8_t *from,
                 uint32_t bytes) override {
    std::copy_n(from, bytes, sent.data() + (address - target::MsfBufferData));
  }
  void accept(Command &) override {}
  uint32_t readRegister(uint32_t) const override { return 0; }
  void writeRegister(uint32_t, uint32_t, uint32_t) override {}
  void start() override {}
  bool isReceiveDone() const override { return true; }
  bool isTransmitDone() const override { return true; }
  uint64_t arrivedCount() const override { return 0; }
};

class BufferMovesTest : public DramBusTest {
protected:
  BufferMovesTest() { dram->connectMedia(&buffers); }
  void move(Op op, uint32_t address, uint32_t quads) {
    Command &made = issue(op, address, quads);
    made.isIndirect = true;
    made.indirectWord = 1u << 4 | target::MsfBufferData << 5;
  }
  Buffers buffers;
};

TEST_F(BufferMovesTest, ReceivedBytesTakeThePullBusAndThenTheMemory) {
  // 8 quadwords are there in 12 + 8 * 2 + 12, which is when the bank is opened;
  // they are stored 82 and 8 * 2 cycles later, and 12 after that the engine
  // knows.
  move(Op::DramRbufRd, 0, 8);
  EXPECT_EQ(cycleOf(1), 40u + 82 + 16 + 12);
  EXPECT_EQ(dram->memory().readWord(60), 0x55555555u);
}

TEST_F(BufferMovesTest, OperandsWaitForReceivedBytes) {
  // The bus is free in 28, and the operands are two words.
  move(Op::DramRbufRd, 0, 8);
  issue(Op::DramWrite, bankOne);
  EXPECT_EQ(cycleOf(2), 28u + 2 * 2 + 12);
}

TEST_F(BufferMovesTest, BytesToSendTakeTheMemoryAndThenThePushBus) {
  // Ready 80 cycles after the start of the service, then 8 words' time on the
  // bus and 10 cycles to the buffer.
  dram->memory().writeWord(60, 0x12345678);
  move(Op::DramTbufWr, 0, 8);
  run(26 + 80 + 16 + 9);
  EXPECT_EQ(buffers.sent[63], 0);
  EXPECT_EQ(cycleOf(1), 26u + 80 + 16 + 10);
  EXPECT_EQ(buffers.sent[63], 0x78);
}

TEST_F(BufferMovesTest, ResultsWaitForBytesToSend) {
  // On a bus of half the speed 8 quadwords take it from 104 to 136. The read is
  // served in 42 and ready in 42 + 78; two words take 8 cycles, and 8 to the
  // engine.
  parameters.busDramWordCycles = 4;
  make();
  dram->connectMedia(&buffers);
  move(Op::DramTbufWr, 0, 8);
  issue(Op::DramRead, bankOne);
  EXPECT_EQ(cycleOf(1), 136u + 8);
  EXPECT_EQ(cycleOf(2), 136u + 8 + 8);
}

//===----------------------------------------------------------------------===//
// The timetable of the data bus
//===----------------------------------------------------------------------===//

/// A timetable of single cycles.
class SlowBus {
public:
  SlowBus(uint64_t turnaround, uint64_t cycles)
      : turnaround(turnaround), uses(cycles) {}
  uint64_t book(uint64_t ready, uint64_t cycles, bool isWrite) {
    uint64_t start = ready;
    while (!isPossible(start, cycles, isWrite))
      ++start;
    std::fill_n(uses.begin() + static_cast<ptrdiff_t>(start), cycles,
                isWrite ? 2 : 1);
    return start;
  }

private:
  bool isPossible(uint64_t start, uint64_t cycles, bool isWrite) const {
    uint64_t first = start < turnaround ? 0 : start - turnaround;
    for (uint64_t at = first; at < start + cycles + turnaround; ++at) {
      bool isOwn = at >= start && at < start + cycles;
      if (uses.at(at) != 0 && (isOwn || uses.at(at) != (isWrite ? 2 : 1)))
        return false;
    }
    return true;
  }
  uint64_t turnaround;
  std::vector<int> uses;
};

TEST(DataBusTest, ATransferBeginsAtTheFirstCyclePossible) {
  std::mt19937 random(1);
  uint32_t late = 0, early = 0;
  for (uint64_t turnaround : {0, 1, 4, 30}) {
    DataBus bus(turnaround);
    SlowBus slow(turnaround, 400000);
    uint64_t now = 0, lastStart = 0;
    for (uint32_t i = 0; i < 2000; ++i) {
      now += random() % 80;
      uint64_t ready = now + random() % 400, cycles = 1 + random() % 32;
      bool isWrite = random() % 3 == 0;
      uint64_t start = bus.book(now, ready, cycles, isWrite);
      ASSERT_EQ(start, slow.book(ready, cycles, isWrite)) << i;
      late += start > ready;
      early += start < lastStart;
      lastStart = start;
    }
  }
  EXPECT_GT(late, 1000u) << "the bus is contended";
  EXPECT_GT(early, 1000u) << "and gaps are filled";
}

} // namespace
