#include "target-ixp/table/Instruction.h"

#include <tuple>

namespace karakal::target {

namespace {
auto members(const Instruction &i) {
  return std::tie(i.op, i.dest, i.a, i.b, i.shift, i.byteMask, i.loadCc,
                  i.immediate, i.invert, i.target, i.defer, i.parameter, i.csr,
                  i.signalMask, i.any, i.keepMask, i.breakpoint, i.hasTarget,
                  i.loadLm0, i.loadLm1, i.lmBlock, i.crcType, i.crcBytes,
                  i.crcLittleEndian, i.crcBitSwap, i.xfer, i.count, i.signal,
                  i.ctxSwap, i.indirectRef);
}

Instruction make(Op op) {
  Instruction instruction;
  instruction.op = op;
  return instruction;
}
} // namespace

bool Instruction::operator==(const Instruction &o) const {
  return members(*this) == members(o);
}

Instruction alu(Op op, Operand dest, Operand a, Operand b) {
  Instruction i = make(op);
  i.dest = dest;
  i.a = a;
  i.b = b;
  return i;
}

Instruction move(Operand dest, Operand source) {
  return alu(Op::AluB, dest, none(), source);
}

Instruction aluShf(Op op, Operand dest, Operand a, Operand b, Shift shift) {
  Instruction i = alu(op, dest, a, b);
  i.shift = shift;
  return i;
}

Instruction asr(Operand dest, Operand b, Shift shift) {
  return aluShf(Op::Asr, dest, none(), b, shift);
}

Instruction dblShf(Operand dest, Operand high, Operand low, Shift shift) {
  return aluShf(Op::DblShf, dest, high, low, shift);
}

Instruction ldField(Operand dest, unsigned byteMask, Operand source,
                    Shift shift, bool clear) {
  Instruction i = aluShf(clear ? Op::LdFieldWClr : Op::LdField, dest, none(),
                         source, shift);
  i.byteMask = static_cast<uint8_t>(byteMask);
  return i;
}

Instruction immed(Operand dest, unsigned value, unsigned shift, bool invert) {
  Instruction i = make(Op::Immed);
  i.dest = dest;
  i.immediate = static_cast<uint16_t>(value);
  i.shift = shl(shift);
  i.invert = invert;
  return i;
}

Instruction immedWord(unsigned word, Operand dest, unsigned value) {
  Instruction i = make(word ? Op::ImmedW1 : Op::ImmedW0);
  i.dest = dest;
  i.immediate = static_cast<uint16_t>(value);
  return i;
}

Instruction immedByte(unsigned byte, Operand dest, unsigned value) {
  constexpr Op Ops[4] = {Op::ImmedB0, Op::ImmedB1, Op::ImmedB2, Op::ImmedB3};
  Instruction i = make(Ops[byte & 3]);
  i.dest = dest;
  i.immediate = static_cast<uint16_t>(value);
  return i;
}

Instruction nop() { return make(Op::Nop); }

Instruction ffs(Operand dest, Operand b) {
  return alu(Op::Ffs, dest, none(), b);
}

Instruction mulStep(Op op, Operand a, Operand b) {
  return alu(op, none(), a, b);
}

Instruction mulLast(Op op, Operand dest) {
  return alu(op, dest, none(), none());
}

Instruction branch(Op op, unsigned target, unsigned defer) {
  return branchOn(op, 0, target, defer);
}

Instruction branchOn(Op op, unsigned parameter, unsigned target,
                     unsigned defer) {
  Instruction i = make(op);
  i.parameter = static_cast<uint8_t>(parameter);
  i.target = static_cast<uint16_t>(target);
  i.defer = static_cast<uint8_t>(defer);
  return i;
}

Instruction branchBit(bool set, Operand reg, unsigned bit, unsigned target,
                      unsigned defer) {
  Instruction i = branchOn(set ? Op::BrBset : Op::BrBclr, bit, target, defer);
  i.a = reg;
  return i;
}

Instruction branchByte(bool equal, Operand reg, unsigned byte, unsigned value,
                       unsigned target, unsigned defer) {
  Instruction i =
      branchOn(equal ? Op::BrByte : Op::BrNotByte, byte, target, defer);
  i.a = reg;
  i.immediate = static_cast<uint16_t>(value);
  return i;
}

Instruction jump(Operand reg, unsigned target, unsigned defer) {
  Instruction i = branchOn(Op::Jump, 0, target, defer);
  i.a = reg;
  return i;
}

Instruction rtn(Operand reg, unsigned defer) { return jump(reg, 0, defer); }

Instruction ctxArb(unsigned mask, bool any, unsigned defer) {
  Instruction i = make(Op::CtxArb);
  i.signalMask = static_cast<uint16_t>(mask);
  i.any = any;
  i.defer = static_cast<uint8_t>(defer);
  return i;
}

Instruction ctxArbVoluntary(unsigned defer) { return ctxArb(1, false, defer); }

Instruction ctxArbKill() { return ctxArb(0, true); }

Instruction halt() {
  Instruction i = make(Op::CtxArb);
  i.breakpoint = true;
  return i;
}

Instruction csrRead(unsigned csr) {
  Instruction i = make(Op::CsrRead);
  i.csr = static_cast<uint16_t>(csr);
  return i;
}

Instruction csrWrite(unsigned csr, Operand source) {
  Instruction i = make(Op::CsrWrite);
  i.csr = static_cast<uint16_t>(csr);
  i.a = source;
  return i;
}

Instruction command(Op op, Operand xfer, Operand a, Operand b, unsigned count) {
  Instruction i = make(op);
  i.xfer = xfer;
  i.a = a;
  i.b = b;
  i.count = static_cast<uint8_t>(count);
  return i;
}

Instruction withSignal(Instruction instruction, unsigned signal, bool swap,
                       unsigned defer) {
  instruction.signal = static_cast<uint8_t>(signal);
  instruction.ctxSwap = swap;
  instruction.defer = static_cast<uint8_t>(defer);
  return instruction;
}

Instruction withIndirect(Instruction instruction) {
  instruction.indirectRef = true;
  return instruction;
}

} // namespace karakal::target
