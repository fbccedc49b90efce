// Generates random instructions of every row, deterministically for each seed.
// Operands respect most rules; if encode rejects an instruction, another one is
// generated.

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

  /// A source of a class other than a GPR.
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

  /// A legal instruction of this row.
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
  // One function for each group of Formats.def.
  void makeFixed(Instruction &, const InstructionRow &) {}
  void makeJump(Instruction &i, const InstructionRow &) {
    i.a = source(true, 255);
  }
  void makeAlu(Instruction &i, const InstructionRow &r);
  void makeCam(Instruction &i, const InstructionRow &r);
  void makeCrc(Instruction &i, const InstructionRow &r);
  void makeShifted(Instruction &i, const InstructionRow &r);
  void makeLdField(Instruction &i, const InstructionRow &r);
  void makeImmed(Instruction &i, const InstructionRow &r);
  void makeMul(Instruction &i, const InstructionRow &r);
  void makeBranch(Instruction &i, const InstructionRow &r);
  void makeCtxArb(Instruction &i, const InstructionRow &r);
  void makeCsr(Instruction &i, const InstructionRow &r);
  void makeCommand(Instruction &i, const InstructionRow &r);
};

inline void InstructionMaker::makeCommand(Instruction &i,
                                          const InstructionRow &r) {
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

inline void InstructionMaker::makeAlu(Instruction &i, const InstructionRow &r) {
  if (r.format != Format::AluSource)
    i.dest = destination(true);
  if (r.format == Format::AluBinary ||
      (r.format == Format::AluUnary && !coin()))
    i.a = source(true, 255);
  i.b = source(true, 255);
}

inline void InstructionMaker::makeCam(Instruction &i, const InstructionRow &r) {
  if (r.format == Format::CamLookup) {
    i.dest = destination(true);
    i.a = source(true, 255);
    i.loadLm0 = coin();
    i.loadLm1 = coin();
    i.lmBlock = i.loadLm0 || i.loadLm1 ? static_cast<uint8_t>(below(4)) : 0;
    return;
  }
  if (r.format == Format::CamWrite)
    i.a = source(true, 255);
  i.b = source(true, 15);
  i.parameter = static_cast<uint8_t>(below(16));
}

inline void InstructionMaker::makeCrc(Instruction &i, const InstructionRow &) {
  constexpr unsigned Types[] = {0, 2, 4, 5, 6, 7};
  i.dest = destination(true);
  i.b = source(true, 255);
  i.crcType = static_cast<CrcType>(Types[below(6)]);
  i.crcBytes = static_cast<CrcBytes>(below(7));
  i.crcLittleEndian = coin();
  i.crcBitSwap = coin();
}

inline void InstructionMaker::makeShifted(Instruction &i,
                                          const InstructionRow &r) {
  bool binary = r.format == Format::ShfBinary || r.format == Format::DblShf;
  i.dest = destination(false);
  if (binary || (r.format == Format::ShfUnary && coin()))
    i.a = source(false, 255);
  if (r.format == Format::ByteAlignA) {
    i.a = source(false, 255);
    return;
  }
  i.b = source(false, 255);
  if (r.format != Format::ByteAlignB)
    i.shift = anyShift();
}

inline void InstructionMaker::makeLdField(Instruction &i,
                                          const InstructionRow &) {
  i.dest = coin() ? gpr(coin(), false) : localMemory(coin(), below(8));
  i.b = source(false, 255);
  i.byteMask = static_cast<uint8_t>(below(16));
  i.loadCc = coin();
  i.shift = anyShift();
}

inline void InstructionMaker::makeImmed(Instruction &i,
                                        const InstructionRow &r) {
  if (r.format == Format::Immed) {
    i.shift = shl(8 * below(3));
    i.invert = coin();
  }
  unsigned limit = r.format == Format::ImmedByte ? 0x100 : 0x10000;
  i.dest = destination(true);
  i.immediate = static_cast<uint16_t>(below(limit));
}

inline void InstructionMaker::makeMul(Instruction &i, const InstructionRow &r) {
  if (r.format == Format::MulLast) {
    i.dest = destination(true);
    return;
  }
  i.a = source(true, 255);
  i.b = source(true, 255);
}

inline void InstructionMaker::makeBranch(Instruction &i,
                                         const InstructionRow &r) {
  switch (r.format) {
  case Format::BranchOn:
    i.parameter = static_cast<uint8_t>(below(16));
    return;
  case Format::BranchBit:
    i.a = source(false, 255);
    i.parameter = static_cast<uint8_t>(below(32));
    return;
  case Format::BranchByte:
    i.a = source(false, 255);
    i.parameter = static_cast<uint8_t>(below(4));
    i.immediate = static_cast<uint16_t>(below(256));
    return;
  default:
    return;
  }
}

inline void InstructionMaker::makeCtxArb(Instruction &i,
                                         const InstructionRow &) {
  i.keepMask = below(8) == 0;
  i.breakpoint = !i.keepMask && below(8) == 0;
  if (!i.keepMask && !i.breakpoint) {
    i.any = coin();
    i.signalMask = static_cast<uint16_t>(below(0x10000));
  }
  i.hasTarget = coin();
}

inline void InstructionMaker::makeCsr(Instruction &i, const InstructionRow &r) {
  i.csr = static_cast<uint16_t>(4 * below(0x800));
  if (r.format == Format::CsrWrite)
    i.a = source(true, 255);
}

inline Instruction InstructionMaker::attempt(Op op, unsigned targetLimit) {
  const InstructionRow &r = row(op);
  Instruction i;
  i.op = op;
  switch (r.format) {
#define KARAKAL_FORMAT(name, group, mask, text)                                \
  case Format::name:                                                           \
    make##group(i, r);                                                         \
    break;
#include "target-ixp/table/Formats.def"
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
