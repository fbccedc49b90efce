// Remainders of the CRC unit against published check values: those of the nine
// characters "123456789" (the catalogue of parametrised CRC algorithms).

#include "sim-ixp/engine/Crc.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::sim;
using target::CrcBytes;
using target::CrcType;

namespace {

target::Instruction crc(CrcType type, CrcBytes bytes = CrcBytes::All) {
  target::Instruction instruction;
  instruction.crcType = type;
  instruction.crcBytes = bytes;
  return instruction;
}

/// The remainder after "123456789" in two words and a byte.
uint32_t remainderOfDigits(CrcType type, uint32_t start, bool isBitSwapped) {
  target::Instruction words = crc(type), byte = crc(type, CrcBytes::Only0);
  words.crcBitSwap = byte.crcBitSwap = isBitSwapped;
  uint32_t remainder = advanceCrc(words, start, 0x31323334);
  remainder = advanceCrc(words, remainder, 0x35363738);
  return advanceCrc(byte, remainder, 0x39ffffff);
}

/// The remainder after these bytes, one at a time.
uint32_t oneByOne(const std::vector<uint32_t> &bytes) {
  uint32_t remainder = 0x1234;
  for (uint32_t byte : bytes)
    remainder =
        advanceCrc(crc(CrcType::Ccitt, CrcBytes::Only0), remainder, byte << 24);
  return remainder;
}

} // namespace

TEST(CrcTest, PolynomialsAreThePublishedOnes) {
  // XMODEM, and CCITT with a start of ones.
  EXPECT_EQ(remainderOfDigits(CrcType::Ccitt, 0, false), 0x31c3u);
  EXPECT_EQ(remainderOfDigits(CrcType::Ccitt, 0xffff, false), 0x29b1u);
  EXPECT_EQ(remainderOfDigits(CrcType::Crc32, ~0u, false),
            0x0376e6e7u);                                         // MPEG-2
  EXPECT_EQ(remainderOfDigits(CrcType::Crc10, 0, false), 0x199u); // ATM
}

TEST(CrcTest, SwappedBitsMakeTheReflectedKinds) {
  // Ethernet's 0xcbf43926, iSCSI's 0xe3069283 and USB's 0x19 are complements of
  // the remainder, read from its other end.
  EXPECT_EQ(remainderOfDigits(CrcType::Crc32, ~0u, true), 0x9b63d02cu);
  EXPECT_EQ(remainderOfDigits(CrcType::Iscsi, ~0u, true), 0x3eb69f38u);
  EXPECT_EQ(remainderOfDigits(CrcType::Crc5, 0x1f, true), 0x0cu);
}

TEST(CrcTest, WithoutAKindTheRemainderStays) {
  EXPECT_EQ(advanceCrc(crc(CrcType::None), 0x12345678, 0x9abcdef0),
            0x12345678u);
}

TEST(CrcTest, AnInstructionTakesSomeBytesOfItsWord) {
  const std::pair<CrcBytes, std::vector<uint32_t>> cases[] = {
      {CrcBytes::All, {0xa1, 0xb2, 0xc3, 0xd4}},
      {CrcBytes::From1To3, {0xb2, 0xc3, 0xd4}},
      {CrcBytes::From2To3, {0xc3, 0xd4}},
      {CrcBytes::Only3, {0xd4}},
      {CrcBytes::From0To2, {0xa1, 0xb2, 0xc3}},
      {CrcBytes::From0To1, {0xa1, 0xb2}},
      {CrcBytes::Only0, {0xa1}},
  };
  for (const auto &[bytes, taken] : cases) {
    target::Instruction big = crc(CrcType::Ccitt, bytes), little = big;
    little.crcLittleEndian = true;
    EXPECT_EQ(advanceCrc(big, 0x1234, 0xa1b2c3d4), oneByOne(taken));
    EXPECT_EQ(advanceCrc(little, 0x1234, 0xd4c3b2a1), oneByOne(taken));
  }
}
