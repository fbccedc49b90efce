// The interpreter's CAM, buffers and handles.

#include "ir/interp/InterpreterMachine.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::ir;
using ::testing::ElementsAre;

namespace {

/// Bit 7 of the result is set on a hit; the entry is in bits 3 to 6.
constexpr uint32_t hit(uint32_t entry) { return 0x80 | entry << 3; }
constexpr uint32_t miss(uint32_t entry) { return entry << 3; }

TEST(InterpreterCam, AMissNamesTheLeastRecentlyUsedEntry) {
  Cam cam;
  EXPECT_EQ(cam.lookup(7), miss(0));
  for (uint32_t entry = 0; entry < 16; ++entry)
    cam.write(entry, 100 + entry);
  EXPECT_EQ(cam.lookup(7), miss(0));
  EXPECT_EQ(cam.lookup(100), hit(0)); // uses entry 0
  EXPECT_EQ(cam.lookup(7), miss(1));
  cam.write(1, 7);
  EXPECT_EQ(cam.lookup(101), miss(2));
  EXPECT_EQ(cam.lookup(7), hit(1));
  EXPECT_EQ(cam.lookup(8), miss(2));
}

TEST(InterpreterCam, AClearedCamHasNoTags) {
  Cam cam;
  cam.write(5, 0);
  EXPECT_EQ(cam.lookup(0), hit(5));
  cam.clear();
  EXPECT_EQ(cam.lookup(0), miss(0));
}

TEST(InterpreterMachine, HandlesNameLivePacketsOnly) {
  Machine machine((Stimulus()));
  uint32_t first = machine.allocate(), second = machine.allocate();
  EXPECT_NE(first, second);
  ASSERT_TRUE(machine.find(first));
  EXPECT_NE(machine.find(first), machine.find(second));
  EXPECT_FALSE(machine.find(first + 1));
  EXPECT_FALSE(machine.find(0));
  EXPECT_FALSE(machine.find(second + (second - first)));
  machine.release(first);
  EXPECT_FALSE(machine.find(first));
  EXPECT_TRUE(machine.find(second));
  EXPECT_EQ(machine.allocate(), first); // used again
}

TEST(InterpreterMachine, ABufferBeginsWithGarbage) {
  Stimulus stimulus;
  stimulus.garbage = 0x5a;
  Machine machine(stimulus);
  uint32_t handle = machine.receive({{1, 2, 3}, 4, 5, 6, {7}}, 100);
  PacketCell &cell = *machine.find(handle);
  EXPECT_EQ(cell.head(), 100u);
  EXPECT_EQ(cell.length(), 3u);
  EXPECT_EQ(cell.data[99], 0x5a);
  EXPECT_EQ(cell.data[100], 1);
  EXPECT_EQ(cell.data[102], 3);
  EXPECT_EQ(cell.data[103], 0x5a);
}

TEST(InterpreterMachine, AnImageHasWhatWasReceived) {
  Machine machine((Stimulus()));
  machine.metadataWords = 2;
  uint32_t handle = machine.receive({{1, 2, 3}, 4, 5, 6, {7, 8, 9}}, 100);
  PacketImage image = machine.imageOf(*machine.find(machine.copy(handle)));
  EXPECT_THAT(image.bytes, ElementsAre(1, 2, 3));
  EXPECT_EQ(image.rxPort, 4);
  EXPECT_EQ(image.txPort, 5);
  EXPECT_EQ(image.sequence, 6u);
  EXPECT_THAT(image.metadata, ElementsAre(7, 8)); // as many as are declared
}

TEST(InterpreterMachine, ACopyIsAPacketOfItsOwn) {
  Machine machine((Stimulus()));
  uint32_t handle = machine.receive({{1, 2, 3}, 0, 0, 0, {}}, 100);
  uint32_t copy = machine.copy(handle);
  EXPECT_NE(copy, handle);
  machine.writeBits(*machine.find(copy), 800, 8, 9);
  EXPECT_EQ(machine.find(handle)->data[100], 1);
  EXPECT_EQ(machine.find(copy)->data[100], 9);
}

TEST(InterpreterMachine, BitsAreCountedFromTheHighestOfTheFirstByte) {
  Machine machine((Stimulus()));
  PacketCell &cell = *machine.find(machine.allocate());
  cell.data[0] = 0x12;
  cell.data[1] = 0x3c;
  EXPECT_EQ(machine.readBits(cell, 4, 8), 0x23u);
  EXPECT_EQ(machine.readBits(cell, 3, 1), 1u);
  EXPECT_EQ(machine.readBits(cell, 0, 64), 0x123ca5a5a5a5a5a5u);
  machine.writeBits(cell, 4, 8, 0xfed); // the upper bits are cut
  EXPECT_EQ(cell.data[0], 0x1e);
  EXPECT_EQ(cell.data[1], 0xdc);
}

TEST(InterpreterMachine, BitsOutsideOfTheBufferAreZeros) {
  Machine machine((Stimulus()));
  PacketCell &cell = *machine.find(machine.allocate());
  constexpr int64_t last = 8 * (2048 - 1);
  EXPECT_EQ(machine.readBits(cell, last, 16), 0xa500u);
  EXPECT_EQ(machine.readBits(cell, -8, 16), 0x00a5u);
  machine.writeBits(cell, last, 16, 0x1234);
  machine.writeBits(cell, -8, 16, 0x5678);
  EXPECT_EQ(cell.data[2047], 0x12);
  EXPECT_EQ(cell.data[0], 0x78);
}

} // namespace
