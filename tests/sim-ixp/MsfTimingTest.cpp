// The cycles of a frame through the media interface, computed by hand.
//
// At 600 MHz a byte on a wire of 1 Gbit/s takes 4.8 cycles, and so does a
// transfer of four bytes on the media bus of 125 MHz. A frame has a preamble of
// 8 bytes and a CRC of 4; the bus loses one transfer for each element.

#include "UnitAlone.h"
#include "sim-ixp/media/Msf.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::sim;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

class MsfTimingTest : public testing::Test {
protected:
  void make(std::vector<traces::Packet> trace) {
    parameters.meClockHz = 600'000'000;
    parameters.msfClockHz = 125'000'000;
    parameters.msfBusOverhead = 1;
    parameters.msfAutopushCycles = 20;
    parameters.msfLatency = 40;
    parameters.portsRateBps = 1'000'000'000;
    parameters.portsGapBytes = 20;
    parameters.busCommandCycles = 2;
    parameters.busRequestCycles = parameters.busReturnCycles = 12;
    parameters.busPushWordCycles = 2;
    chassis = std::make_unique<Chassis>(scheduler, parameters);
    chassis->connectEngine(0, &engine);
    source =
        std::make_unique<TrafficSource>(std::move(trace), TrafficOptions());
    msf = std::make_unique<Msf>(*chassis, observer, *source);
    chassis->connectUnit(target::FunctionalUnit::Msf, msf.get());
    msf->writeRegister(target::MsfTxControl,
                       0xfu << msf::controlChannelShift |
                           msf::widthBits(msf::BusWidth::Four8),
                       0);
    msf->onSent([&](const SentFrame &frame) { sent.push_back(frame); });
  }

  static traces::Packet packet(uint32_t port, uint32_t bytes) {
    traces::Packet made;
    made.port = port;
    made.bytes.resize(bytes, 1);
    return made;
  }

  void issue(target::Op op, uint32_t address, uint32_t count, uint32_t signal) {
    Command &made = chassis->allocate();
    made = Command();
    made.op = op;
    made.address = address;
    made.count = uint8_t(count);
    made.signal = uint8_t(signal);
    ASSERT_TRUE(chassis->issue(made));
  }

  /// Contexts 0 to `count` - 1 wait for elements, with signal 3.
  void waitForElements(uint32_t count) {
    for (uint32_t context = 0; context < count; ++context)
      issue(target::Op::MsfFastWr,
            (3u << 12 | context << 4) << 16 | target::MsfRxThreadFreelist, 1,
            0);
  }

  /// Makes a whole frame of `bytes` in TBUF element `element` valid.
  void send(uint32_t element, uint32_t bytes) {
    engine.transferOut[0] = bytes << 24 | msf::controlStart | msf::controlEnd |
                            element / (size.count() / 4);
    engine.transferOut[1] = 0;
    issue(target::Op::MsfWrite, target::MsfTbufElementControl + 8 * element, 2,
          0);
  }

  void run() {
    while (scheduler.nextCycle() <= 20000)
      scheduler.runNext();
    EXPECT_EQ(observer.first, "");
  }

  std::vector<uint64_t> sentCycles() {
    std::vector<uint64_t> cycles;
    for (const SentFrame &frame : sent)
      cycles.push_back(frame.cycle);
    return cycles;
  }

  target::ChipParameters parameters;
  Scheduler scheduler;
  FirstFault observer;
  EngineStub engine;
  std::unique_ptr<Chassis> chassis;
  std::unique_ptr<TrafficSource> source;
  std::unique_ptr<Msf> msf;
  msf::ElementSize size; ///< of elements of both buffers
  std::vector<SentFrame> sent;
};

/// From an element in RBUF to its status in a context: 20 cycles, two words on
/// the bus and 10 cycles to the engine.
constexpr uint64_t autopush = 20 + 2 * 2 + 10;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST_F(MsfTimingTest, ARegisterReadTakesTheLatency) {
  make({packet(0, 60)}); // not started
  issue(target::Op::MsfRead, target::MsfTxSequence, 1, 5);
  run();
  EXPECT_THAT(engine.signalCycles(), ElementsAre(40));
}

TEST_F(MsfTimingTest, FurtherRegistersTakeTheBus) {
  make({packet(0, 60)}); // not started
  issue(target::Op::MsfRead, target::MsfTxSequence, 4, 5);
  run();
  EXPECT_THAT(engine.signalCycles(), ElementsAre(40 + 3 * 2));
}

TEST_F(MsfTimingTest, AWriteSignalsWhenItsOperandsAreRead) {
  make({packet(0, 60)}); // not started
  engine.transferOut[0] = 60u << 24 | msf::controlStart | msf::controlEnd;
  issue(target::Op::MsfWrite, target::MsfTbufElementControl, 2, 5);
  run();
  EXPECT_THAT(engine.signalCycles(), ElementsAre(12 + 2 * 2 + 12));
}

//===----------------------------------------------------------------------===//
// Receive
//===----------------------------------------------------------------------===//

TEST_F(MsfTimingTest, AFrameOfOneElement) {
  // Whole after 8 + 60 + 4 bytes: 345.6 cycles. On the bus for 15 + 1
  // transfers: 76.8 cycles.
  make({packet(0, 60)});
  waitForElements(1);
  msf->start();
  run();
  EXPECT_THAT(engine.signalCycles(), ElementsAre(346 + 77 + autopush));
}

TEST_F(MsfTimingTest, EachElementOfALongFrameMovesWhenItIsWhole) {
  // 64, 64 and 22 bytes: whole after 72, 136 and, with the CRC, 162 bytes.
  make({packet(0, 150)});
  waitForElements(3);
  msf->start();
  run();
  EXPECT_THAT(engine.signalCycles(),
              ElementsAre(346 + 82 + autopush,   // 17 transfers
                          653 + 82 + autopush,   // 17
                          778 + 34 + autopush)); // 6 + 1
}

TEST_F(MsfTimingTest, TwoPortsShareTheMediaBus) {
  make({packet(0, 60), packet(1, 60)});
  waitForElements(2);
  msf->start();
  run();
  EXPECT_THAT(engine.signalCycles(),
              ElementsAre(346 + 77 + autopush, 346 + 2 * 77 + autopush));
}

TEST_F(MsfTimingTest, FramesOfAPortHaveAGap) {
  // The second begins 20 bytes, preamble included, after the first has ended:
  // 84 bytes after it began, that is 403.2 cycles.
  make({packet(0, 60), packet(0, 60)});
  waitForElements(2);
  msf->start();
  run();
  EXPECT_THAT(engine.signalCycles(), ElementsAre(346 + 77 + autopush,
                                                 749 + 77 + autopush)); // 748.8
}

TEST_F(MsfTimingTest, AnElementWaitsForAThread) {
  make({packet(0, 60)});
  msf->start();
  run();
  EXPECT_THAT(engine.signalCycles(), IsEmpty());
  // The thread arrives 12 cycles after the write.
  const uint64_t now = scheduler.now();
  waitForElements(1);
  run();
  EXPECT_THAT(engine.signalCycles(), ElementsAre(now + 12 + autopush));
}

//===----------------------------------------------------------------------===//
// Transmit
//===----------------------------------------------------------------------===//

TEST_F(MsfTimingTest, AValidElementIsOnTheWireAfterTheBus) {
  // Valid in 28, when its control word is read; 77 cycles on the bus.
  make({packet(0, 60)}); // not started
  send(0, 60);
  run();
  EXPECT_THAT(sentCycles(), ElementsAre(28 + 77));
}

TEST_F(MsfTimingTest, LongerElementsTakeTheBusLonger) {
  make({packet(0, 60)}); // not started
  send(0, 64);           // 17 transfers: 81.6 cycles
  run();
  EXPECT_THAT(sentCycles(), ElementsAre(28 + 82));
}

TEST_F(MsfTimingTest, FramesOfAPortLeaveWithAGap) {
  make({packet(0, 60)}); // not started
  send(0, 60);
  send(1, 60);
  run();
  // 84 bytes after the first, whose wire time is counted from cycle 104.
  EXPECT_THAT(sentCycles(), ElementsAre(105, 508)); // 104 + 403.2
}

} // namespace
