// Decodes words.
//
// The inverse of Encoder.cpp, with one function for each group of Formats.def.
// Don't-care bits are ignored, and operands may be on either port, even where
// the encoder chooses the other (isCanonical reports such words). A word with
// an unassigned operand value, or one that violates an operand rule, is not an
// instruction.

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/OperandFields.h"

#include <cstdio>

namespace karakal::target {

namespace {

class WordReader {
public:
  WordReader(uint64_t word, const InstructionRow &r) : word(word), r(r) {
    i.op = r.op;
  }

  /// Fills `i`; false if a field is unassigned.
  bool read();
  const Instruction &instruction() const { return i; }

private:
  uint64_t word;
  const InstructionRow &r;
  Instruction i;
  bool good = true;

  unsigned bits(unsigned high, unsigned low) const {
    return static_cast<unsigned>(word >> low &
                                 ((1ull << (high - low + 1)) - 1));
  }
  bool bit(unsigned number) const { return word >> number & 1; }
  Operand keep(const std::optional<Operand> &operand) {
    good &= operand.has_value();
    return operand.value_or(none());
  }
  Operand wide(unsigned low, Bank bank, Role role = Role::Source) {
    return keep(decodeWide(bits(low + 9, low), bank, role));
  }
  Operand narrow(unsigned low, Bank bank, bool bit7, Role role = Role::Source) {
    unsigned high = bit7 ? bits(18, 18) : 0;
    return keep(decodeNarrow(bits(low + 7, low), high, bank, role));
  }

  void wideSources(bool usesA, bool optionalA);
  void narrowSources(bool usesA, bool optionalA, bool usesB = true);
  // One function for each group of Formats.def.
  void readFixed() {}
  void readAlu();
  void readCam();
  void readCrc();
  void readShifted();
  void readLdField();
  void readShift();
  void readImmed();
  void readMul();
  void readBranch();
  void readBranchOperand();
  void readJump();
  void readCtxArb();
  void readCsr();
  void readCommand();
};

void WordReader::wideSources(bool usesA, bool optionalA) {
  bool swap = bit(30);
  i.b = swap ? wide(0, Bank::A) : wide(10, Bank::B);
  // The fillers differ in what the A operand latch gets, so each is read as
  // "no operand" only where the encoder writes it.
  bool isFiller = swap ? bits(19, 10) == WideFillerB && i.b.isBankA()
                       : bits(9, 0) == WideFillerA;
  if (usesA && !(optionalA && isFiller))
    i.a = swap ? wide(10, Bank::B) : wide(0, Bank::A);
}

void WordReader::narrowSources(bool usesA, bool optionalA, bool usesB) {
  bool swap = bit(19);
  if (usesB)
    i.b = swap ? narrow(0, Bank::A, true) : narrow(10, Bank::B, true);
  bool isFiller =
      swap ? bits(17, 10) == NarrowFillerB && !bit(18) && i.b.isBankA()
           : bits(7, 0) == NarrowFillerA;
  if (usesA && !(optionalA && isFiller))
    i.a = swap ? narrow(10, Bank::B, true) : narrow(0, Bank::A, true);
}

void WordReader::readAlu() {
  bool unary = r.format == Format::AluUnary;
  wideSources(unary || r.format == Format::AluBinary, unary);
  if (r.format != Format::AluSource)
    i.dest = wide(20, bit(36) ? Bank::B : Bank::A, Role::Destination);
}

void WordReader::readCam() {
  if (r.format == Format::CamLookup) {
    bool swap = bit(30);
    unsigned options = swap ? bits(9, 0) : bits(19, 10);
    i.a = swap ? wide(10, Bank::B) : wide(0, Bank::A);
    i.loadLm0 = options & 1;
    i.loadLm1 = options >> 1 & 1;
    i.lmBlock = options & 3 ? options >> 2 & 3 : 0;
    good &= options < 16;
    i.dest = wide(20, bit(36) ? Bank::B : Bank::A, Role::Destination);
    return;
  }
  wideSources(r.format == Format::CamWrite, false);
  i.parameter = bits(23, 20);
}

void WordReader::readCrc() {
  bool swap = bit(30);
  unsigned parameters = swap ? bits(19, 10) : bits(9, 0);
  i.b = swap ? wide(0, Bank::A) : wide(10, Bank::B);
  unsigned type = parameters >> 5 & 7;
  good &=
      parameters >= 0x300 && type != 1 && type != 3 && (parameters & 7) != 7;
  i.crcType = static_cast<CrcType>(type);
  i.crcBitSwap = parameters >> 4 & 1;
  i.crcLittleEndian = parameters >> 3 & 1;
  i.crcBytes = static_cast<CrcBytes>(parameters & 7);
  i.dest = wide(20, bit(36) ? Bank::B : Bank::A, Role::Destination);
}

void WordReader::readShift() {
  using ShiftKind = Shift::Kind;
  unsigned amount = bits(32, 28);
  switch (bits(9, 8)) {
  case 0:
    i.shift = rotr(amount);
    return;
  case 1:
  case 3:
    i.shift = amount ? shr(amount) : Shift{ShiftKind::RightIndirect, 0};
    return;
  case 2:
    i.shift = amount ? shl(32 - amount) : Shift{ShiftKind::LeftIndirect, 0};
    return;
  }
}

void WordReader::readShifted() {
  bool unary = r.format == Format::ShfUnary;
  bool binary = r.format == Format::ShfBinary || r.format == Format::DblShf;
  bool isAlignA = r.format == Format::ByteAlignA;
  narrowSources(unary || binary || isAlignA, unary, !isAlignA);
  i.dest = narrow(20, bit(36) ? Bank::B : Bank::A, false, Role::Destination);
  if (!isAlignA && r.format != Format::ByteAlignB)
    readShift();
}

void WordReader::readLdField() {
  narrowSources(true, false);
  i.dest = i.a;
  i.a = none();
  good &= !i.dest.isImmediate();
  readShift();
  i.byteMask = bits(27, 24);
  i.loadCc = bit(34);
}

void WordReader::readImmed() {
  unsigned fieldB = bits(19, 10), fieldA = bits(9, 0);
  bool isLiteralA = fieldA >= WideNone;
  bool destinationInB =
      isLiteralA &&
      (fieldB < WideNone || (fieldB == WideNone && fieldA != WideNone));
  unsigned low = destinationInB ? fieldA : fieldB;
  good &= low >= WideNone;
  i.dest = destinationInB ? wide(10, Bank::B, Role::Destination)
                          : wide(0, Bank::A, Role::Destination);
  i.immediate = static_cast<uint16_t>(bits(27, 20) << 8 | (low & 0xff));
  if (r.format != Format::Immed)
    return;
  good &= bits(34, 33) != 3;
  i.shift = shl(8 * bits(34, 33));
  i.invert = bit(31);
}

void WordReader::readMul() {
  if (r.format == Format::MulStep)
    wideSources(true, false);
  else
    i.dest = wide(0, bit(23) ? Bank::B : Bank::A, Role::Destination);
}

void WordReader::readBranchOperand() {
  bool isBit = r.format == Format::BranchBit;
  bool literalInB = bits(17, 10) & 0x20;
  unsigned registerLow = literalInB ? 0 : 10;
  unsigned literalLow = literalInB ? 10 : 0;
  i.a = narrow(registerLow, literalInB ? Bank::A : Bank::B, false);
  Operand literal = narrow(literalLow, Bank::A, !isBit);
  good &= literal.isImmediate() && !i.a.isImmediate();
  if (isBit) {
    good &= literal.value < 32;
    i.parameter = (literal.value + 31) & 31;
  } else {
    i.immediate = literal.value;
    i.parameter = bits(9, 8);
  }
}

void WordReader::readBranch() {
  i.target = bits(34, 22);
  i.defer = bits(21, 20);
  if (r.format == Format::BranchOn)
    i.parameter = bits(17, 14);
  else if (r.format != Format::Branch)
    readBranchOperand();
}

void WordReader::readJump() {
  bool literalInB = bits(19, 10) >= WideNone;
  unsigned literal = literalInB ? bits(19, 10) : bits(9, 0);
  i.a = literalInB ? wide(0, Bank::A) : wide(10, Bank::B);
  good &= literal >= WideNone && !i.a.isImmediate();
  i.target = static_cast<uint16_t>(bits(26, 22) << 8 | (literal & 0xff));
  i.defer = bits(21, 20);
}

void WordReader::readCtxArb() {
  i.defer = bits(21, 20);
  i.keepMask = bit(19);
  i.hasTarget = bit(18);
  i.breakpoint = bit(17);
  bool hasMask = !i.keepMask && !i.breakpoint;
  i.any = hasMask && bit(16);
  i.signalMask = hasMask ? bits(15, 0) : 0;
  if (i.hasTarget)
    i.target = bits(34, 22);
}

void WordReader::readCsr() {
  i.csr = static_cast<uint16_t>(bits(32, 22) * 4);
  if (r.format == Format::CsrRead)
    return;
  unsigned fieldB = bits(19, 10), fieldA = bits(9, 0);
  // A register is on one port and the other holds the filler; a literal is on
  // both.
  bool isOnB = fieldA == WideFillerB && fieldB < WideFillerB;
  i.a = isOnB ? wide(10, Bank::B) : wide(0, Bank::A);
  good &= isOnB || fieldB == (i.a.isImmediate() ? fieldA : WideFillerB);
}

void WordReader::readCommand() {
  i.indirectRef = bit(38);
  if (r.address == AddressForm::Sum) {
    i.a = narrow(0, Bank::A, false);
    i.b = narrow(10, Bank::B, false);
  } else if (r.address != AddressForm::Key) {
    i.csr = static_cast<uint16_t>(bits(17, 10) << 8 | bits(7, 0));
  }
  if (r.address == AddressForm::FastData) {
    i.immediate = bits(31, 18);
    return;
  }
  if (r.address == AddressForm::FastAlu)
    return;
  bool isDram = (bits(37, 32) & 0x3c) == 0x28;
  if (r.xfer != XferUse::No)
    i.xfer = bit(24) != isDram ? dXfer(bits(23, 20)) : sXfer(bits(23, 20));
  if (r.countMax)
    i.count = bits(27, 25) + 1;
  i.signal = bits(31, 28);
  i.ctxSwap = bits(9, 8) != 3;
  i.defer = i.ctxSwap ? bits(9, 8) : 0;
}

bool WordReader::read() {
  switch (r.format) {
#define KARAKAL_FORMAT(name, group, mask, text)                                \
  case Format::name:                                                           \
    read##group();                                                             \
    break;
#include "target-ixp/table/Formats.def"
  }
  return good;
}

} // namespace

Result<Instruction> decode(uint64_t word) {
  std::string reason;
  if (const InstructionRow *found = findRow(word)) {
    WordReader reader(word, *found);
    if (reader.read()) {
      Result<uint64_t> again = encode(reader.instruction());
      if (again)
        return reader.instruction();
      reason = ": " + again.error().message;
    }
  }
  char text[32];
  std::snprintf(text, sizeof text, "%010llx",
                static_cast<unsigned long long>(word));
  return makeError("E-target-ixp-050", std::string("the word ") + text +
                                           " is not an instruction" + reason);
}

bool isCanonical(uint64_t word) {
  Result<Instruction> instruction = decode(word);
  if (!instruction)
    return false;
  Result<uint64_t> again = encode(*instruction);
  KARAKAL_ASSERT(again, "a word that decodes is an instruction that encodes");
  return *again == word;
}

Instruction canonical(Instruction instruction) {
  Result<uint64_t> word = encode(instruction);
  if (!word)
    return instruction;
  Result<Instruction> decoded = decode(*word);
  KARAKAL_ASSERT(decoded, "encode made a word that does not decode");
  return *decoded;
}

} // namespace karakal::target
