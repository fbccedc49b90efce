// Images that know nothing of this project's conventions.
//
// Two images and a host in the style of a driver for a board: the host makes
// the rings by the registers of the CAP, divides the MSF's buses, frees the
// receive elements, enables the channels, and passes descriptors between the
// engines and itself, all by physical address.

#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/media/FrameCheck.h"
#include "sim-ixp/media/Msf.h"
#include "sim-ixp/run/Chip.h"
#include "target-ixp/assembler/Assembler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace karakal;
using namespace karakal::sim;

namespace {

constexpr uint32_t cap = 0xc0000000, mediaRegisters = 0xc8000000,
                   rings = 0xcb400000, interruptRaw = 0xd6000060;
constexpr uint32_t descriptorBase = 0x1000, descriptorBytes = 16;
constexpr uint32_t descriptorCount = 192; // 3 pages of the driver
constexpr uint32_t bufferBase = 0x100000, bufferBytes = 2048;

struct Faults : ChipObserver {
  std::string first;
  void onFault(uint32_t, const std::string &what) override {
    if (first.empty())
      first = what;
  }
};

class ForeignImageTest : public ::testing::Test {
protected:
  void make(std::vector<traces::Packet> trace, uint32_t fcsPorts = 0) {
    parameters.ringFullPart = fullPart;
    parameters.portsFcs = fcsPorts;
    TrafficOptions options;
    options.packetCount = packetCount;
    options.fcsPorts = fcsPorts;
    source = std::make_unique<TrafficSource>(std::move(trace), options);
    chip = std::make_unique<Chip>(parameters, observer);
    msf = std::make_unique<Msf>(chip->chassis(), observer, *source);
    chip->connectMedia(msf.get());
    msf->onSent([&](const SentFrame &frame) { sent.push_back(frame); });
  }

  void write(uint32_t address, uint32_t value) {
    EXPECT_TRUE(chip->physical().write(address, value)) << std::hex << address;
  }
  uint32_t read(uint32_t address) {
    auto word = chip->physical().read(address);
    EXPECT_TRUE(word) << std::hex << address;
    return word.value_or(0);
  }

  /// Four rings of 256 words; bit 26: the input state means "empty".
  void makeRings() {
    const uint32_t bases[] = {0x44000000, 0x40000400, 0x44000800, 0x40000c00};
    for (uint32_t ring = 0; ring < 4; ++ring) {
      write(cap + 0x4800 + 16 * ring, bases[ring]);
      write(cap + 0x4804 + 16 * ring, 0);
      write(cap + 0x4808 + 16 * ring, 0);
      EXPECT_EQ(read(cap + 0x4800 + 16 * ring), bases[ring]);
    }
  }

  /// The MSF on one bus of 32 bits, shared by all ports.
  void startMedia() {
    constexpr uint32_t mode = 1u << 19 | 1u << 18;
    write(mediaRegisters + 0x00, mode);
    for (uint32_t element = 1; element < 128; ++element)
      if (element != 9 && element != 18 && element != 27)
        write(mediaRegisters + 0x44, element);
    write(mediaRegisters + 0x00, mode | 1u << 28);
    write(mediaRegisters + 0x04, mode);
    write(mediaRegisters + 0x04, mode | 1u << 28);
  }

  void giveDescriptors() {
    for (uint32_t i = 0; i < descriptorCount; ++i) {
      uint32_t descriptor = descriptorBase + i * descriptorBytes;
      write(0x80000000 + descriptor, bufferBase + i * bufferBytes);
      write(rings + 0, descriptor);
    }
  }

  void load(uint32_t engine, const std::string &name) {
    auto program =
        target::assembleFile(std::string(KARAKAL_SOURCE_DIR) +
                             "/tests/sim-ixp/foreign/" + name + ".uc");
    ASSERT_TRUE(bool(program)) << program.error().str();
    chip->engine(engine).load(
        std::make_shared<const MicroProgram>(prepareProgram(program->words)));
    chip->engine(engine).start(0xff);
  }

  static std::vector<traces::Packet> frames() {
    std::vector<traces::Packet> trace;
    for (uint32_t i = 0; i < 40; ++i) {
      traces::Packet packet;
      packet.port = i % 4;
      packet.bytes.resize(60, uint8_t(i));
      trace.push_back(packet);
    }
    return trace;
  }

  target::ChipParameters parameters;
  uint64_t fullPart = target::ChipParameters().ringFullPart;
  uint64_t packetCount = 1000;
  Faults observer;
  std::unique_ptr<Chip> chip;
  std::unique_ptr<TrafficSource> source;
  std::unique_ptr<Msf> msf;
  std::vector<SentFrame> sent;
};

TEST_F(ForeignImageTest, AHostForwardsByDescriptors) {
  make(frames());
  makeRings();
  giveDescriptors();
  load(0, "receive");
  load(1, "transmit");
  EXPECT_TRUE(msf->isReceiveDone()) << "no channel is enabled";
  startMedia();
  while (sent.size() < packetCount && observer.first.empty() &&
         chip->scheduler().now() < 2'000'000) {
    chip->runTo(chip->scheduler().now() + 500);
    if (read(interruptRaw) != 0) {
      write(interruptRaw, 0xff);
      while (uint32_t descriptor = read(rings + 4))
        write(rings + 8, descriptor);
    }
    while (uint32_t descriptor = read(rings + 12))
      write(rings + 0, descriptor);
  }
  EXPECT_EQ(observer.first, "");
  ASSERT_EQ(sent.size(), packetCount);
  std::map<uint32_t, uint32_t> byPort;
  for (const SentFrame &frame : sent) {
    uint32_t number = frame.bytes[0];
    EXPECT_EQ(frame.port, number % 4) << "the port of the control word";
    EXPECT_EQ(frame.bytes, std::vector<uint8_t>(60, uint8_t(number)));
    ++byPort[frame.port];
  }
  EXPECT_EQ(byPort.size(), 4u);
  EXPECT_EQ(read(mediaRegisters + 0x60), (packetCount & 0xff) | 0x80000000u)
      << "one partition counts all elements";
  EXPECT_EQ(read(mediaRegisters + 0x64), 0x80000000u);
}

/// A host that looks rarely finds every descriptor on the ring.
TEST_F(ForeignImageTest, AllDescriptorsFitOnTheRing) {
  make(frames());
  makeRings();
  giveDescriptors();
  load(0, "receive");
  startMedia();
  chip->runTo(300'000);
  EXPECT_EQ(observer.first, "");
  EXPECT_EQ(chip->scratch().ringLevel(1), descriptorCount);
}

/// With a wider margin it stops before.
TEST_F(ForeignImageTest, AWiderMarginHaltsIt) {
  fullPart = 2;
  make(frames());
  makeRings();
  giveDescriptors();
  load(0, "receive");
  startMedia();
  chip->runTo(300'000);
  EXPECT_LT(chip->scratch().ringLevel(1), descriptorCount);
}

TEST_F(ForeignImageTest, FramesCarryTheirCheckSequenceWhereAPortIsSoSet) {
  packetCount = 1;
  make({[] {
         traces::Packet packet;
         packet.port = 1;
         const char text[] = "123456789";
         packet.bytes.assign(text, text + 9);
         return packet;
       }()},
       1u << 1);
  uint8_t check[4];
  storeFrameCheckSequence(reinterpret_cast<const uint8_t *>("123456789"), 9,
                          check);
  EXPECT_EQ(std::memcmp(check, "\x26\x39\xf4\xcb", 4), 0)
      << "CRC-32's check value, 0xcbf43926";
  makeRings();
  giveDescriptors();
  load(0, "receive");
  load(1, "transmit");
  startMedia();
  chip->runTo(10'000);
  uint32_t descriptor = read(rings + 4);
  ASSERT_NE(descriptor, 0u);
  EXPECT_EQ(read(0x80000000 + descriptor + 4), 64u) << "60 bytes and 4";
  uint8_t *bytes = chip->dram().memory().data() + read(0x80000000 + descriptor);
  storeFrameCheckSequence(bytes, 60, check);
  EXPECT_EQ(std::memcmp(check, bytes + 60, 4), 0);
  write(rings + 8, descriptor);
  chip->runTo(20'000);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].bytes.size(), 60u);
  EXPECT_EQ(msf->transmitStatistics().wrongFcs, 0u);
  bytes[60] ^= 1;
  write(rings + 8, descriptor);
  chip->runTo(30'000);
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(msf->transmitStatistics().wrongFcs, 1u);
  EXPECT_EQ(observer.first, "");
}

/// TX_CONTROL's widths: elements of each partition, its port and counter.
TEST_F(ForeignImageTest, WidthsDivideTheTransmitBuffer) {
  struct Case {
    uint32_t width, channels;
    std::vector<uint32_t> firstElements;
  };
  for (const Case &each :
       {Case{0, 0x1, {0}}, Case{1, 0x5, {0, 64}}, Case{2, 0xf, {0, 32, 64, 96}},
        Case{3, 0xd, {0, 64, 96}}}) {
    sent.clear();
    make(frames());
    write(mediaRegisters + 0x04, each.width << 20 | each.channels << 28);
    for (uint32_t element : each.firstElements) {
      write(mediaRegisters + 0x2000 + 64 * element, element << 24);
      write(mediaRegisters + 0x1800 + 8 * element, 60u << 24 | 0x300 | 3);
    }
    chip->runTo(10'000);
    ASSERT_EQ(sent.size(), each.firstElements.size()) << each.width;
    for (uint32_t part = 0; part < sent.size(); ++part) {
      EXPECT_EQ(sent[part].port, part) << "SPHY: the control word has no say";
      EXPECT_EQ(sent[part].bytes[0], each.firstElements[part]);
      EXPECT_EQ(read(mediaRegisters + 0x60 + 4 * part), 0x80000001u);
    }
    EXPECT_EQ(observer.first, "");
  }
}

TEST_F(ForeignImageTest, ADisabledChannelSendsNothing) {
  make(frames());
  write(mediaRegisters + 0x04, 2u << 20 | 0x7u << 28); // not port 3
  for (uint32_t element : {64u, 96u})
    write(mediaRegisters + 0x1800 + 8 * element, 60u << 24 | 0x300);
  chip->runTo(10'000);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].port, 2u);
  write(mediaRegisters + 0x04, 2u << 20 | 0xfu << 28);
  chip->runTo(20'000);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].port, 3u);
}

TEST_F(ForeignImageTest, OnlyEnabledPortsReceive) {
  make(frames());
  for (uint32_t element = 1; element < 9; ++element)
    write(mediaRegisters + 0x44, element);
  write(mediaRegisters + 0x00, 2u << 20 | 0x2u << 28); // 4x8, port 1
  chip->runTo(10'000);
  EXPECT_GT(msf->arrivedCount(), 0u);
  // Each frame of port 1 is packet 1, 5, 9, ... of the trace.
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(read(mediaRegisters + 0x2000 + 64 * (1 + i)) >> 24 & 3, 1u);
}

/// The loader's registers: product, resets, timestamp, status.
TEST_F(ForeignImageTest, ChipRegistersAnswer) {
  make(frames());
  constexpr uint32_t csrs5 = 0xc0018000 + 0x11 * 0x400;
  EXPECT_EQ(read(cap + 0x4a00) >> 8, 2u) << "IXP2400";
  EXPECT_EQ(read(csrs5 + 0x044) >> 31, 0u) << "never started";
  load(5, "receive");
  makeRings(); // no descriptors: the contexts poll
  chip->runTo(1'000);
  EXPECT_TRUE(chip->engine(5).isAlive());
  write(cap + 0x4a10, 1u << 16 | 2u << 16); // engines 0x10 and 0x11
  EXPECT_FALSE(chip->engine(5).isAlive());
  write(csrs5 + 0x018, 0xff00);
  chip->runTo(2'000);
  EXPECT_FALSE(chip->engine(5).isAlive()) << "in reset";
  EXPECT_EQ(read(csrs5 + 0x044) >> 31, 0u);
  write(cap + 0x4a10, 0);
  write(csrs5 + 0x018, 0xff00);
  EXPECT_TRUE(chip->engine(5).isAlive());

  EXPECT_EQ(read(csrs5 + 0x0c0), 2'000u / 16);
  write(csrs5 + 0x0c0, 0xffffffff);
  write(csrs5 + 0x0c4, 7);
  chip->runTo(2'032);
  EXPECT_EQ(read(csrs5 + 0x0c0), 1u);
  EXPECT_EQ(read(csrs5 + 0x0c4), 8u) << "64 bits";
}

TEST_F(ForeignImageTest, ARingThatCannotBeIsAFault) {
  make(frames());
  write(cap + 0x4800, 0x40000100); // 256 words at no multiple of their size
  EXPECT_NE(observer.first.find("scratch ring 0"), std::string::npos);
}

} // namespace
