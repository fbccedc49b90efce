// Ports, buffers and lists of the media interface.
//
// A consumer in C++ stands for the receive microcode: it takes each mpacket at
// the cycle of its signal, and returns element and thread at once or not at
// all.

#include "sim-ixp/media/Msf.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint32_t receiveSignal = 3;

traces::Packet packet(uint32_t port, uint32_t bytes, uint8_t fill) {
  traces::Packet made;
  made.port = port;
  for (uint32_t i = 0; i < bytes; ++i)
    made.bytes.push_back(static_cast<uint8_t>(fill + i));
  return made;
}

struct Faults : ChipObserver {
  std::vector<std::string> texts;
  void onFault(uint32_t, const std::string &what) override {
    texts.push_back(what);
  }
};

/// An engine's transfer registers, the chip around the MSF, and the consumer.
class MsfTest : public ::testing::Test, protected TransferPort {
protected:
  struct Mpacket {
    uint32_t element, bytes, port;
    bool isStart, isEnd, isBad;
    std::vector<uint8_t> data;
  };

  void make(std::vector<traces::Packet> trace, TrafficOptions options = {}) {
    chassis = std::make_unique<Chassis>(scheduler, parameters);
    chassis->connectEngine(0, this);
    source = std::make_unique<TrafficSource>(std::move(trace), options);
    msf = std::make_unique<Msf>(*chassis, observer, *source);
    chassis->connectUnit(target::FunctionalUnit::Msf, msf.get());
    msf->onSent([&](const SentFrame &frame) { sent.push_back(frame); });
    transmitBy(msf::widthBits(msf::BusWidth::Four8));
  }

  /// Sets TX_CONTROL, with all its channels enabled.
  void transmitBy(uint32_t control) {
    msf->writeRegister(
        target::MsfTxControl,
        control | msf::channelsOf(control) << msf::controlChannelShift, 0);
  }

  Command &command(target::Op op, uint32_t address, uint32_t count) {
    Command &made = chassis->allocate();
    made = Command();
    made.op = op;
    made.address = address;
    made.count = static_cast<uint8_t>(count);
    return made;
  }
  void fastWrite(uint32_t reg, uint32_t data) {
    chassis->issue(command(target::Op::MsfFastWr, data << 16 | reg, 1));
  }
  void enqueueThread(uint32_t context) {
    fastWrite(target::MsfRxThreadFreelist, receiveSignal << 12 | context << 4);
  }
  void validate(uint32_t element, uint32_t control) {
    transferOut[0] = control;
    transferOut[1] = 0;
    chassis->issue(command(target::Op::MsfWrite,
                           target::MsfTbufElementControl + 8 * element, 2));
    run(scheduler.now() + 200);
  }
  uint32_t readRegister(uint32_t address) {
    Command &read = command(target::Op::MsfRead, address, 1);
    read.xfer = 5;
    chassis->issue(read);
    run(scheduler.now() + 500);
    return transferIn[0][5];
  }
  void run(uint64_t untilCycle) {
    while (scheduler.nextCycle() <= untilCycle)
      scheduler.runNext();
    if (scheduler.now() < untilCycle)
      scheduler.advanceTo(untilCycle);
  }

  void readTransferOut(uint32_t, TransferKind, uint32_t first, uint32_t words,
                       uint32_t *to) override {
    std::copy_n(&transferOut[first], words, to);
  }
  void writeTransferIn(uint32_t context, TransferKind, uint32_t first,
                       uint32_t words, const uint32_t *from) override {
    std::copy_n(from, words, &transferIn[context][first]);
  }
  void raiseSignals(uint64_t, uint32_t context, uint32_t mask) override {
    if (!(mask & 1u << receiveSignal))
      return;
    uint32_t status = transferIn[context][0];
    Mpacket piece{status >> 24,
                  status >> 16 & 0xff,
                  status & 0x1f,
                  (status & msf::statusStart) != 0,
                  (status & msf::statusEnd) != 0,
                  (status & msf::statusError) != 0,
                  {}};
    if (piece.bytes == 0 && piece.element != 0) // element 0: a null status
      piece.bytes = 256;
    piece.data.resize(piece.bytes);
    if (piece.bytes != 0)
      msf->readRbuf(target::MsfBufferData + piece.element * size.bytes(),
                    piece.data.data(), piece.bytes);
    received.push_back(piece);
    if (!isConsuming)
      return;
    fastWrite(target::MsfRbufElementDone, piece.element);
    enqueueThread(context);
  }

  target::ChipParameters parameters;
  Scheduler scheduler;
  Faults observer;
  std::unique_ptr<Chassis> chassis;
  std::unique_ptr<TrafficSource> source;
  std::unique_ptr<Msf> msf;
  bool isConsuming = true;
  msf::ElementSize size; ///< of receive elements
  uint32_t transferOut[16] = {};
  uint32_t transferIn[8][16] = {};
  std::vector<Mpacket> received;
  std::vector<SentFrame> sent;
};

} // namespace

TEST_F(MsfTest, FrameArrivesInPiecesOfOneElement) {
  make({packet(2, 150, 7)});
  enqueueThread(0);
  msf->start();
  run(10'000);
  ASSERT_EQ(received.size(), 3u);
  EXPECT_TRUE(received[0].isStart && !received[0].isEnd);
  EXPECT_TRUE(!received[1].isStart && !received[1].isEnd);
  EXPECT_TRUE(!received[2].isStart && received[2].isEnd);
  EXPECT_EQ(received[0].bytes, 64u);
  EXPECT_EQ(received[2].bytes, 22u);
  EXPECT_EQ(received[1].port, 2u);
  EXPECT_EQ(received[1].data[0], 7 + 64);
  EXPECT_TRUE(msf->isReceiveDone());
}

TEST_F(MsfTest, ShortFrameIsPadded) {
  make({packet(0, 20, 1)});
  enqueueThread(0);
  msf->start();
  run(10'000);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].bytes, 60u);
  EXPECT_EQ(received[0].data[19], 20);
  EXPECT_EQ(received[0].data[20], 0);
}

TEST_F(MsfTest, ReceiveErrorIsMarked) {
  TrafficOptions options;
  options.hasError = [](uint64_t number) { return number == 1; };
  make({packet(0, 60, 1), packet(0, 60, 2)}, options);
  enqueueThread(0);
  msf->start();
  run(10'000);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_FALSE(received[0].isBad);
  EXPECT_TRUE(received[1].isBad);
}

TEST_F(MsfTest, UnusableElementsAreNeverFilled) {
  TrafficOptions options;
  options.packetCount = 500;
  make({packet(0, 60, 1)}, options);
  enqueueThread(0);
  msf->start();
  run(1'000'000);
  ASSERT_EQ(received.size(), 500u);
  for (const Mpacket &piece : received)
    for (uint32_t unusable : msf::elementsUnusable[0])
      EXPECT_NE(piece.element, unusable);
}

TEST_F(MsfTest, MinimumFramesArriveAtLineRateOnAllPorts) {
  TrafficOptions options;
  options.packetCount = 40'000;
  make({packet(0, 60, 1), packet(1, 60, 1), packet(2, 60, 1), packet(3, 60, 1)},
       options);
  for (uint32_t context = 0; context < 8; ++context)
    enqueueThread(context);
  msf->start();
  // 84 byte times of 8 ns a frame and port: 5.952 million a second.
  run(600'000); // 1 ms
  EXPECT_NEAR(static_cast<double>(received.size()), 5952, 8);
  run(6'000'000);
  EXPECT_EQ(received.size(), 40'000u);
  EXPECT_TRUE(msf->isReceiveDone());
}

TEST_F(MsfTest, ClosedLoopHoldsFramesAndLosesNone) {
  isConsuming = false;
  TrafficOptions options;
  options.packetCount = 5'000;
  make({packet(0, 60, 1)}, options);
  msf->start();
  run(6'000'000);
  // 124 elements and a FIFO are full, the rest waits at the port.
  EXPECT_LT(msf->arrivedCount(), 500u);
  EXPECT_FALSE(msf->isReceiveDone());
  isConsuming = true;
  enqueueThread(0);
  run(12'000'000);
  EXPECT_EQ(received.size(), 5'000u);
  EXPECT_EQ(msf->receiveStatistics().framesLost, 0u);
  EXPECT_TRUE(msf->isReceiveDone());
}

TEST_F(MsfTest, OpenLoopLosesFramesThatFindNoSpace) {
  isConsuming = false;
  TrafficOptions options;
  options.packetCount = 5'000;
  options.offeredGbps = 0.5;
  make({packet(0, 60, 1)}, options);
  msf->start();
  run(6'000'000);
  EXPECT_EQ(msf->arrivedCount(), 5'000u);
  EXPECT_GT(msf->receiveStatistics().framesLost, 4'000u);
}

TEST_F(MsfTest, OpenLoopOffersTheRate) {
  TrafficOptions options;
  options.packetCount = 1'000'000;
  options.offeredGbps = 1.0; // over four ports: 1.953 M frames a second
  make({packet(0, 60, 1), packet(1, 60, 1), packet(2, 60, 1), packet(3, 60, 1)},
       options);
  for (uint32_t context = 0; context < 8; ++context)
    enqueueThread(context);
  // Control functions may have taken time before the ports open.
  scheduler.advanceTo(3'000'000);
  msf->start();
  run(3'600'000); // 1 ms
  EXPECT_NEAR(static_cast<double>(msf->arrivedCount()), 1953, 3);
}

TEST_F(MsfTest, FramesArriveAtTheTimesOfTheTrace) {
  TrafficOptions options;
  options.packetCount = 4; // the trace twice
  options.keepsTimes = true;
  traces::Packet first = packet(0, 60, 1), second = packet(1, 60, 1);
  first.timeNs = 7'000'000;
  second.timeNs = 8'000'000;
  make({first, second}, options);
  for (uint32_t context = 0; context < 8; ++context)
    enqueueThread(context);
  msf->start();
  // A millisecond lies between two frames: 600,000 cycles.
  run(1'000);
  EXPECT_EQ(msf->arrivedCount(), 1u);
  for (uint64_t frame = 1; frame < 4; ++frame) {
    run(frame * 600'000 - 1'000);
    EXPECT_EQ(msf->arrivedCount(), frame);
    run(frame * 600'000 + 1'000);
    EXPECT_EQ(msf->arrivedCount(), frame + 1);
  }
}

TEST_F(MsfTest, ElementsLeaveInOrderRegardlessOfValidationOrder) {
  make({packet(0, 60, 1)});
  uint8_t bytes[128];
  for (uint32_t i = 0; i < 128; ++i)
    bytes[i] = static_cast<uint8_t>(i);
  // A frame of 59 + 30 bytes on port 1, from payload offset 5.
  uint32_t first = size.count() / 4;
  msf->writeTbuf(target::MsfBufferData + first * 64, bytes, 128);
  validate(first + 1, 30u << 24 | msf::controlEnd | 1);
  EXPECT_EQ(readRegister(target::MsfTxSequence + 4), 0u);
  EXPECT_FALSE(msf->isTransmitDone());
  validate(first, 59u << 24 | 5u << 13 | msf::controlStart | 1);
  run(scheduler.now() + 10'000);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].port, 1u);
  EXPECT_THAT(sent[0].bytes,
              ::testing::ElementsAreArray(bytes + 5, bytes + 5 + 89));
  EXPECT_EQ(readRegister(target::MsfTxSequence + 4), 2u | msf::sequenceEmpty);
  EXPECT_TRUE(msf->isTransmitDone());
  EXPECT_TRUE(observer.texts.empty());
}

TEST_F(MsfTest, WireSpacesFramesByPreambleAndGap) {
  make({packet(0, 60, 1)});
  for (uint32_t element = 0; element < 4; ++element)
    validate(element, 60u << 24 | msf::controlStart | msf::controlEnd);
  run(scheduler.now() + 10'000);
  ASSERT_EQ(sent.size(), 4u);
  // 84 byte times of 4.8 cycles.
  EXPECT_NEAR(static_cast<double>(sent[3].cycle - sent[1].cycle), 806.4, 2);
}

TEST_F(MsfTest, TheFrameNumberFollowsTheBuffer) {
  make({packet(0, 60, 1), packet(0, 60, 2)});
  enqueueThread(0);
  msf->start();
  run(10'000);
  ASSERT_EQ(received.size(), 2u);
  uint32_t buffer = target::bufferAddress(target::handleOfBuffer(9));
  msf->onBufferMove(true, target::MsfBufferData + received[1].element * 64,
                    buffer + target::BufferHeadroom);
  msf->onBufferMove(false, target::MsfBufferData, buffer + 64);
  validate(0, 60u << 24 | msf::controlStart | msf::controlEnd);
  run(scheduler.now() + 10'000);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].number, 1u);
  EXPECT_GT(sent[0].latencyCycles, 0u);
}

TEST_F(MsfTest, LargerElementsHoldLargerPieces) {
  for (uint32_t code : {1u, 2u}) {
    received.clear();
    TrafficOptions options;
    options.packetCount = 100;
    make({packet(1, 600, 7)}, options);
    size.code = code;
    msf->writeRegister(target::MsfRxControl, code << 2, 0);
    enqueueThread(0);
    msf->start();
    run(scheduler.now() + 10'000'000);
    uint32_t pieces = (600 + size.bytes() - 1) / size.bytes();
    ASSERT_EQ(received.size(), 100 * pieces);
    EXPECT_EQ(received[1].bytes, size.bytes());
    EXPECT_EQ(received[1].data[0], static_cast<uint8_t>(7 + size.bytes()));
    EXPECT_EQ(received[pieces - 1].bytes, 600 - (pieces - 1) * size.bytes());
    for (const Mpacket &piece : received) {
      EXPECT_LT(piece.element, size.count());
      for (uint32_t unusable : msf::elementsUnusable[code])
        EXPECT_NE(piece.element, unusable);
    }
    EXPECT_TRUE(msf->isReceiveDone());
  }
  EXPECT_TRUE(observer.texts.empty());
}

TEST_F(MsfTest, LargerElementsLeaveWhole) {
  make({packet(0, 60, 1)});
  uint8_t bytes[512];
  for (uint32_t i = 0; i < 512; ++i)
    bytes[i] = static_cast<uint8_t>(i * 7);
  size.code = 2;
  transmitBy(size.code << 2 | msf::widthBits(msf::BusWidth::Four8));
  uint32_t first = 2 * size.count() / 4; // port 2
  msf->writeTbuf(target::MsfBufferData + first * 256, bytes, 512);
  validate(first, msf::controlStart | 2); // length 0 is 256
  validate(first + 1, 100u << 24 | msf::controlEnd | 2);
  run(scheduler.now() + 10'000);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].port, 2u);
  EXPECT_THAT(sent[0].bytes, ::testing::ElementsAreArray(bytes, 356));
  EXPECT_EQ(readRegister(target::MsfTxSequence + 8), 2u | msf::sequenceEmpty);
  EXPECT_TRUE(observer.texts.empty());
}

TEST_F(MsfTest, ChangingTheElementSizeWhileElementsAreInUseIsAFault) {
  make({packet(0, 60, 1)});
  msf->start();
  run(10'000); // one full element, and no thread that takes it
  msf->writeRegister(target::MsfRxControl, 1 << 2, 0);
  ASSERT_EQ(observer.texts.size(), 1u);
  EXPECT_NE(observer.texts[0].find("while elements are in use"),
            std::string::npos);
  msf->writeRegister(target::MsfTxControl, 3 << 2, 0);
  ASSERT_EQ(observer.texts.size(), 2u);
  EXPECT_NE(observer.texts[1].find("size code 3"), std::string::npos);
  msf->writeRegister(target::MsfRxControl, 3 << 2, 0);
  ASSERT_EQ(observer.texts.size(), 3u);
  EXPECT_NE(observer.texts[2].find("RBUF elements of size code 3"),
            std::string::npos);
}

TEST_F(MsfTest, TheBusWidthSelectsTheListOfAPort) {
  make(
      {packet(0, 60, 1), packet(1, 60, 1), packet(2, 60, 1), packet(3, 60, 1)});
  msf->writeRegister(target::MsfRxControl, 1 << 20, 0); // 2x16: two lists
  for (uint32_t list : {0u, 1u})
    for (uint32_t i = 0; i < 2; ++i)
      fastWrite(target::MsfRxThreadFreelist + 4 * list,
                receiveSignal << 12 | list << 4);
  isConsuming = false;
  msf->start();
  run(10'000);
  ASSERT_EQ(received.size(), 4u);
  for (uint32_t context : {0u, 1u})
    EXPECT_EQ(transferIn[context][0] & 1, context) << "ports 0, 2 and 1, 3";
}

TEST_F(MsfTest, AThreadGetsANullStatusAfterTheTimeout) {
  make({packet(0, 60, 1)});
  isConsuming = false;
  constexpr uint32_t ticks = 100;
  uint64_t waited = ticks * msf::timeoutTickCycles;
  msf->writeRegister(msf::freelistTimeout, ticks, 0);
  enqueueThread(0);
  enqueueThread(1);
  run(waited); // the command takes its time to the MSF: not yet
  EXPECT_EQ(received.size(), 0u);
  run(waited + 100);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].bytes, 0u);
  EXPECT_FALSE(received[0].isStart || received[0].isEnd);
  run(2 * waited); // the second thread waits as long from then on
  EXPECT_EQ(received.size(), 1u);
  run(2 * waited + 200);
  EXPECT_EQ(received.size(), 2u);
  EXPECT_EQ(msf->receiveStatistics().nullStatuses, 2u);
  enqueueThread(2);
  msf->start();
  run(3 * waited); // a frame in time: no null status
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[2].bytes, 60u);
  run(8 * waited);
  EXPECT_EQ(received.size(), 3u);
}

TEST_F(MsfTest, FreeingAFreeElementIsAFault) {
  make({packet(0, 60, 1)});
  fastWrite(target::MsfRbufElementDone, 5);
  run(1000);
  EXPECT_TRUE(observer.texts.empty()) << "the first time puts it on the list";
  fastWrite(target::MsfRbufElementDone, 5);
  fastWrite(target::MsfRbufElementDone, 9);
  run(2000);
  ASSERT_EQ(observer.texts.size(), 2u);
  EXPECT_NE(observer.texts[0].find("element 5"), std::string::npos);
  EXPECT_NE(observer.texts[1].find("erratum 69"), std::string::npos);
}

TEST_F(MsfTest, ValidatingTwiceIsAFault) {
  make({packet(0, 60, 1)});
  validate(3, 60u << 24 | msf::controlStart | msf::controlEnd);
  validate(3, 60u << 24 | msf::controlStart | msf::controlEnd);
  ASSERT_EQ(observer.texts.size(), 1u);
  EXPECT_NE(observer.texts[0].find("while it is valid"), std::string::npos);
}

TEST_F(MsfTest, AMiddleElementOutsideAFrameIsAFault) {
  make({packet(0, 60, 1)});
  validate(0, 60u << 24 | msf::controlEnd);
  ASSERT_EQ(observer.texts.size(), 1u);
  EXPECT_NE(observer.texts[0].find("outside of a frame"), std::string::npos);
}

TEST(TrafficTest, TraceIsRepeatedAndCut) {
  TrafficOptions options;
  options.packetCount = 8;
  TrafficSource source({packet(0, 60, 1), packet(1, 61, 1), packet(0, 62, 1)},
                       options);
  std::vector<uint64_t> numbers;
  while (const OfferedFrame *frame = source.peek(0)) {
    numbers.push_back(frame->number);
    EXPECT_EQ(frame->bytes->size(), 60 + frame->number % 3);
    source.take(0);
  }
  EXPECT_THAT(numbers, ::testing::ElementsAre(0, 2, 3, 5, 6));
  EXPECT_EQ(source.peek(1)->number, 1u);
  EXPECT_EQ(source.peek(2), nullptr);
}

TEST(TrafficTest, DueTimesFollowTheFrameBits) {
  TrafficOptions options;
  options.packetCount = 4;
  options.offeredGbps = 2;
  TrafficSource source({packet(0, 60, 1), packet(0, 996, 1)}, options);
  double due[4];
  for (double &seconds : due) {
    seconds = source.peek(0)->dueSeconds;
    source.take(0);
  }
  EXPECT_DOUBLE_EQ(due[0], 0);
  EXPECT_DOUBLE_EQ(due[1], 64 * 8 / 2e9);
  EXPECT_DOUBLE_EQ(due[2], 1064 * 8 / 2e9);
  EXPECT_DOUBLE_EQ(due[3], 1128 * 8 / 2e9);
}
