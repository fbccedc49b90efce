// The CRC unit of an engine.
//
// See Crc.h for the idea.

#include "sim-ixp/engine/Crc.h"

namespace karakal::sim {
namespace {

using target::CrcBytes;
using target::CrcType;

struct Polynomial {
  uint32_t bits;
  uint32_t value;
};

Polynomial polynomialOf(CrcType type) {
  switch (type) {
  case CrcType::Ccitt:
    return {16, 0x1021};
  case CrcType::Crc32:
    return {32, 0x04c11db7};
  case CrcType::Iscsi:
    return {32, 0x1edc6f41};
  case CrcType::Crc10:
    return {10, 0x233};
  case CrcType::Crc5:
    return {5, 0x05};
  case CrcType::None:
    break;
  }
  return {0, 0};
}

struct Range {
  uint32_t first;
  uint32_t last;
};

Range rangeOf(CrcBytes bytes) {
  switch (bytes) {
  case CrcBytes::All:
    return {0, 3};
  case CrcBytes::From1To3:
    return {1, 3};
  case CrcBytes::From2To3:
    return {2, 3};
  case CrcBytes::Only3:
    return {3, 3};
  case CrcBytes::From0To2:
    return {0, 2};
  case CrcBytes::From0To1:
    return {0, 1};
  case CrcBytes::Only0:
    return {0, 0};
  }
  return {0, 3};
}

} // namespace

uint32_t advanceCrc(const target::Instruction &instruction, uint32_t remainder,
                    uint32_t word) {
  Polynomial polynomial = polynomialOf(instruction.crcType);
  if (polynomial.bits == 0)
    return remainder;
  Range range = rangeOf(instruction.crcBytes);
  for (uint32_t number = range.first; number <= range.last; ++number) {
    uint32_t shift = instruction.crcLittleEndian ? 8 * number : 24 - 8 * number;
    uint32_t byte = word >> shift & 0xff;
    for (uint32_t i = 0; i < 8; ++i) {
      uint32_t bit = instruction.crcBitSwap ? byte >> i : byte >> (7 - i);
      uint32_t top = remainder >> (polynomial.bits - 1);
      remainder <<= 1;
      if ((bit ^ top) & 1)
        remainder ^= polynomial.value;
    }
  }
  return polynomial.bits == 32 ? remainder
                               : remainder & ((1u << polynomial.bits) - 1);
}

} // namespace karakal::sim
