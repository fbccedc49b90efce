// Makes instructions of every row, at random but reproducibly, with operands
// that respect most rules; those that encode refuses are made again.

#ifndef KARAKAL_TESTS_INSTRUCTIONMAKER_H
#define KARAKAL_TESTS_INSTRUCTIONMAKER_H

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <random>
#include <vector>

namespace karakal::target::test {

class InstructionMaker {
public:
  explicit InstructionMaker(unsigned seed) : random(seed) {}

  unsigned below(unsigned limit) { return random() % limit; }
  bool coin() { return below(2); }

  Operand gpr(bool bankB, bool wide) {
    if (wide && below(4) == 0)
      return bankB ? absB(below(128)) : absA(below(128));
    return bankB ? gprB(below(32)) : gprA(below(32));
  }

  /// A source of one of the classes that are not a GPR's.
  Operand other(bool wide, unsigned literalMax) {
    PostModify post = static_cast<PostModify>(below(3));
    switch (below(8)) {
    case 0:
      return sXfer(below(32));
    case 1:
      return dXfer(below(32));
    case 2:
      return coin() ? sXferIndex(post) : dXferIndex(post);
    case 3:
      if (wide && post != PostModify::None)
        return localMemory(coin(), 0, post);
      return localMemory(coin(), below(wide ? 16 : 8));
    case 4:
      return wide ? neighbour(below(32)) : neighbourIndex();
    case 5:
      return neighbourIndex(coin() ? PostModify::None : PostModify::Increment);
    default:
      return imm(below(literalMax + 1));
    }
  }

  Operand source(bool wide, unsigned literalMax) {
    return coin() ? gpr(coin(), wide) : other(wide, literalMax);
  }

  Operand destination(bool wide) {
    for (;;) {
      Operand operand = below(8) == 0 ? none() : source(wide, 0);
      bool ring = operand.kind == Operand::Kind::NeighbourIndex &&
                  operand.post != PostModify::Increment;
      if (!operand.isImmediate() && !ring)
        return operand;
    }
  }

  Shift anyShift() {
    unsigned amount = 1 + below(31);
    switch (below(6)) {
    case 0:
      return {};
    case 1:
      return shl(amount);
    case 2:
      return shr(amount);
    case 3:
      return rotr(amount);
    case 4:
      return shlIndirect();
    default:
      return shrIndirect();
    }
  }

  /// An instruction of this row that encodes.
  Instruction make(Op op, unsigned targetLimit) {
    for (;;) {
      Instruction instruction = attempt(op, targetLimit);
      if (encode(instruction))
        return instruction;
    }
  }

private:
  std::mt19937 random;

  Instruction attempt(Op op, unsigned targetLimit);
  void command(Instruction &i, const InstructionRow &r);
};

inline void InstructionMaker::command(Instruction &i, const InstructionRow &r) {
  i.indirectRef = coin();
  if (r.address == AddressForm::Sum) {
    i.a = source(false, 127);
    i.b = source(false, 127);
  } else if (r.address != AddressForm::Key) {
    i.csr = static_cast<uint16_t>(below(0x10000));
  }
  if (r.address == AddressForm::FastData)
    i.immediate = static_cast<uint16_t>(below(0x4000));
  if (r.xfer != XferUse::No)
    i.xfer = coin() ? sXfer(below(16)) : dXfer(below(16));
  if (r.countMax)
    i.count = static_cast<uint8_t>(1 + below(r.countMax));
  if (r.signals == 1)
    i.signal = static_cast<uint8_t>(below(16));
  if (r.signals == 2)
    i.signal = static_cast<uint8_t>(2 * below(8));
  if (i.signal && r.signals == 1 && coin()) {
    i.ctxSwap = true;
    i.defer = static_cast<uint8_t>(below(3));
  }
}

inline Instruction InstructionMaker::attempt(Op op, unsigned targetLimit) {
  const InstructionRow &r = row(op);
  Instruction i;
  i.op = op;
  bool wide = true;
  switch (r.format) {
  case Format::Fixed:
    break;
  case Format::AluUnary:
  case Format::AluBinary:
    i.dest = destination(true);
    i.a = r.format == Format::AluUnary && coin() ? none() : source(true, 255);
    i.b = source(true, 255);
    break;
  case Format::AluSource:
    i.b = source(true, 255);
    break;
  case Format::AluMove:
    i.dest = destination(true);
    i.b = source(true, 255);
    break;
  case Format::CamLookup:
    i.dest = destination(true);
    i.a = source(true, 255);
    i.loadLm0 = coin();
    i.loadLm1 = coin();
    i.lmBlock = i.loadLm0 || i.loadLm1 ? static_cast<uint8_t>(below(4)) : 0;
    break;
  case Format::CamWrite:
    i.a = source(true, 255);
    [[fallthrough]];
  case Format::CamWriteState:
    i.b = source(true, 15);
    i.parameter = static_cast<uint8_t>(below(16));
    break;
  case Format::Crc: {
    constexpr unsigned Types[] = {0, 2, 4, 5, 6, 7};
    i.dest = destination(true);
    i.b = source(true, 255);
    i.crcType = static_cast<CrcType>(Types[below(6)]);
    i.crcBytes = static_cast<CrcBytes>(below(7));
    i.crcLittleEndian = coin();
    i.crcBitSwap = coin();
    break;
  }
  case Format::LdField:
    i.dest = coin() ? gpr(coin(), false) : localMemory(coin(), below(8));
    i.b = source(false, 255);
    i.byteMask = static_cast<uint8_t>(below(16));
    i.loadCc = coin();
    i.shift = anyShift();
    break;
  case Format::ShfUnary:
  case Format::ShfBinary:
  case Format::DblShf:
  case Format::Asr:
  case Format::ByteAlign: {
    bool binary = r.format == Format::ShfBinary || r.format == Format::DblShf;
    wide = false;
    i.dest = destination(wide);
    if (binary || (r.format == Format::ShfUnary && coin()))
      i.a = source(wide, 255);
    i.b = source(wide, 255);
    if (r.format != Format::ByteAlign)
      i.shift = anyShift();
    break;
  }
  case Format::Immed:
    i.shift = shl(8 * below(3));
    i.invert = coin();
    [[fallthrough]];
  case Format::ImmedWord:
    i.dest = destination(true);
    i.immediate = static_cast<uint16_t>(below(0x10000));
    break;
  case Format::ImmedByte:
    i.dest = destination(true);
    i.immediate = static_cast<uint16_t>(below(0x100));
    break;
  case Format::MulStep:
    i.a = source(true, 255);
    i.b = source(true, 255);
    break;
  case Format::MulLast:
    i.dest = destination(true);
    break;
  case Format::Jump:
    i.a = source(true, 255);
    break;
  case Format::BranchBit:
  case Format::BranchByte:
    i.a = source(false, 255);
    i.parameter =
        static_cast<uint8_t>(below(r.format == Format::BranchBit ? 32 : 4));
    if (r.format == Format::BranchByte)
      i.immediate = static_cast<uint16_t>(below(256));
    break;
  case Format::BranchOn:
    i.parameter = static_cast<uint8_t>(below(16));
    break;
  case Format::Branch:
    break;
  case Format::CtxArb:
    i.keepMask = below(8) == 0;
    i.breakpoint = !i.keepMask && below(8) == 0;
    if (!i.keepMask && !i.breakpoint) {
      i.any = coin();
      i.signalMask = static_cast<uint16_t>(below(0x10000));
    }
    i.hasTarget = coin();
    break;
  case Format::CsrRead:
  case Format::CsrWrite:
    i.csr = static_cast<uint16_t>(4 * below(0x800));
    if (r.format == Format::CsrWrite)
      i.a = source(true, 255);
    break;
  case Format::Command:
    command(i, r);
    break;
  }
  if (r.isBranch() || i.hasTarget)
    i.target = static_cast<uint16_t>(below(targetLimit));
  if (r.maxDefer && !r.isCommand())
    i.defer = static_cast<uint8_t>(below(r.maxDefer + 1u));
  return i;
}

/// All operations of the table.
inline std::vector<Op> allOps() {
  std::vector<Op> ops;
  for (const InstructionRow &r : instructionTable())
    ops.push_back(r.op);
  return ops;
}

} // namespace karakal::target::test

#endif // KARAKAL_TESTS_INSTRUCTIONMAKER_H
