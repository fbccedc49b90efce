// Latencies of the XScale's instructions.
//
// See ArmInstruction.h for the source.

#include "sim-ixp/core/ArmInstruction.h"

#include <algorithm>

namespace karakal::sim {
namespace {

constexpr uint32_t programCounter = 15;
constexpr uint32_t linkRegister = 14;

uint32_t field(uint32_t word, uint32_t low, uint32_t bits) {
  return word >> low & ((1u << bits) - 1);
}
bool bit(uint32_t word, uint32_t number) { return word >> number & 1; }
uint16_t reg(uint32_t word, uint32_t low) {
  return static_cast<uint16_t>(1u << field(word, low, 4));
}

/// Removes the program counter from the results; `cycles` is the issue latency
/// of an instruction that writes it.
ArmInstruction withJump(ArmInstruction made, uint32_t cycles) {
  if (made.results >> programCounter & 1) {
    made.results &= static_cast<uint16_t>(~(1u << programCounter));
    made.issue = static_cast<uint8_t>(cycles);
  }
  return made;
}

ArmInstruction dataProcessing(uint32_t word) {
  ArmInstruction made;
  uint32_t operation = field(word, 21, 4);
  bool isMove = operation == 13 || operation == 15;
  bool isTest = operation >= 8 && operation <= 11;
  if (!isMove)
    made.sources |= reg(word, 16);
  if (!isTest)
    made.results |= reg(word, 12);
  if (!bit(word, 25)) {
    made.sources |= reg(word, 0);
    bool isShiftByRegister = bit(word, 4);
    bool isRotateByCarry = field(word, 4, 8) == 6; // RRX: ROR by 0
    if (isShiftByRegister)
      made.sources |= reg(word, 8);
    if (isShiftByRegister || isRotateByCarry)
      made.issue = made.result = 2;
  }
  return withJump(made, made.issue + ArmMispredictCycles);
}

/// MUL to SMLAL. A product takes 2 to 4 cycles, as the multiplier's size
/// demands; 3 are assumed.
ArmInstruction multiply(uint32_t word) {
  ArmInstruction made;
  bool isLong = bit(word, 23);
  made.sources = reg(word, 0) | reg(word, 8);
  made.results = reg(word, 16);
  if (isLong)
    made.results |= reg(word, 12);
  if (bit(word, 21))
    made.sources |= reg(word, 12) | (isLong ? reg(word, 16) : 0);
  made.result = isLong ? 4 : 3;
  // With the flags, the next instruction waits.
  made.issue = bit(word, 20) ? made.result : 1;
  return made;
}

/// A load or store of one register or of two (`bytes` 8).
ArmInstruction transfer(uint32_t word, bool isLoad, bool isDouble,
                        bool isRegisterOffset) {
  ArmInstruction made;
  made.sources = reg(word, 16);
  if (isRegisterOffset)
    made.sources |= reg(word, 0);
  uint16_t data = reg(word, 12);
  if (isDouble)
    data |= static_cast<uint16_t>(data << 1);
  if (isLoad) {
    made.results = data;
    made.result = isDouble ? 4 : 3;
  } else {
    made.sources |= data;
    made.issue = isDouble ? 2 : 1;
  }
  return withJump(made, 8);
}

ArmInstruction blockTransfer(uint32_t word) {
  ArmInstruction made;
  uint32_t count = static_cast<uint32_t>(__builtin_popcount(word & 0xffff));
  made.sources = reg(word, 16);
  made.issue = static_cast<uint8_t>(2 + count);
  if (!bit(word, 20)) {
    made.sources |= static_cast<uint16_t>(word);
    return made;
  }
  made.results = static_cast<uint16_t>(word);
  made.result = made.issue;
  return withJump(made, 10 + std::max(count, 3u) - 3);
}

/// Bits 27:25 are 0, and bits 7 and 4 are 1: multiplications, SWP, halfwords.
ArmInstruction extension(uint32_t word) {
  uint32_t kind = field(word, 5, 2);
  if (kind != 0) { // halves, signed bytes and pairs of words
    bool isPair = !bit(word, 20) && kind >= 2;
    bool isLoad = bit(word, 20) || kind == 2;
    return transfer(word, isLoad, isPair, !bit(word, 22));
  }
  if (!bit(word, 24))
    return multiply(word);
  ArmInstruction made; // SWP
  made.sources = reg(word, 16) | reg(word, 0);
  made.results = reg(word, 12);
  made.issue = made.result = 5;
  return made;
}

/// Bits 27:23 are 00010 and bit 20 is 0: what data processing leaves free.
ArmInstruction miscellaneous(uint32_t word) {
  ArmInstruction made;
  if (bit(word, 7)) { // products of halves
    made.sources = reg(word, 0) | reg(word, 8) | reg(word, 12);
    made.results = reg(word, 16);
    made.result = 2;
    return made;
  }
  uint32_t kind = field(word, 4, 4);
  uint32_t operation = field(word, 21, 2);
  made.sources = reg(word, 0);
  if (kind == 0) { // the status register
    bool isWrite = bit(word, 21);
    made.sources = isWrite ? reg(word, 0) : 0;
    made.results = isWrite ? 0 : reg(word, 12);
    made.issue = made.result = isWrite ? 2 : 1;
    if (!isWrite)
      made.result = 2;
  } else if (kind == 5) { // saturating sums
    made.sources |= reg(word, 16);
    made.results = reg(word, 12);
    made.result = 2;
  } else if (kind == 1 && operation == 3) { // CLZ
    made.results = reg(word, 12);
  } else if (kind == 1 || kind == 3) { // BX, BLX
    made.results = kind == 3 ? 1u << linkRegister : 0;
    made.issue = 1 + ArmMispredictCycles;
  }
  return made;
}

} // namespace

ArmInstruction decodeArm(uint32_t word) {
  if (field(word, 28, 4) == 15) { // BLX of an address; otherwise a prefetch
    ArmInstruction made;
    if (field(word, 25, 3) == 5) {
      made.results = 1u << linkRegister;
      made.issue = 1 + ArmMispredictCycles;
    }
    return made;
  }
  switch (field(word, 25, 3)) {
  case 0:
    if (bit(word, 7) && bit(word, 4))
      return extension(word);
    if (field(word, 23, 2) == 2 && !bit(word, 20))
      return miscellaneous(word);
    return dataProcessing(word);
  case 1:
    return dataProcessing(word);
  case 2:
  case 3:
    return transfer(word, bit(word, 20), false, bit(word, 25));
  case 4:
    return blockTransfer(word);
  case 5: {
    ArmInstruction made;
    made.isPredicted = true;
    if (bit(word, 24))
      made.results = 1u << linkRegister;
    return made;
  }
  default:
    return {};
  }
}

} // namespace karakal::sim
