// A strict interpreter of words for tests: operands and arithmetic.

#include "TinyEngine.h"

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/Printer.h"

namespace karakal::tests {

using target::Op;
using target::Shift;

TinyEngine::TinyEngine(const std::vector<uint64_t> &words) {
  for (uint64_t word : words) {
    auto instruction = target::decode(word);
    if (!instruction) {
      fail(instruction.error().message);
      return;
    }
    program.push_back(*instruction);
  }
}

std::string TinyEngine::run(uint64_t stepsMax) {
  while (!isOver && problem.empty()) {
    if (steps++ > stepsMax)
      fail("does not end");
    else if (pc >= program.size())
      fail("runs off the end");
    else
      step();
  }
  return problem;
}

void TinyEngine::step() {
  uint32_t at = pc++;
  const Instruction &i = program[at];
  executed.insert(at);
  bool inSlot = slotsLeft > 0;
  for (unsigned p = 0; p < 2; ++p)
    ++pointerAge[p];
  if (csrValue && i.op != Op::Immed)
    fail("local_csr_rd is not followed by immed");
  auto oldA = previousA;
  if (!(stepArithmetic(i) || stepShift(i) || stepConstant(i) ||
        stepMultiply(i) || stepBranch(i) || stepContext(i)))
    stepCommand(i);
  if (previousA == oldA && target::row(i.op).isBranch())
    previousA.reset();
  if (!problem.empty())
    problem += " at word " + std::to_string(at) + ": " + target::print(i);
  if (swapIn && --swapIn == 0)
    swapped();
  if (inSlot && --slotsLeft == 0) {
    pc = *goTo;
    goTo.reset();
  }
}

//===-- Operands ----------------------------------------------------------===//

uint32_t TinyEngine::localAddress(const Operand &o) {
  unsigned p = o.kind == Operand::Kind::LocalMemory1;
  if (pointerAge[p] <= target::LmAddrSlots)
    fail("local-memory pointer used too early");
  pointer[p] = nextPointer[p];
  uint32_t word = pointer[p] / 4 | o.value;
  if (word >= local.size()) {
    fail("outside local memory");
    return 0;
  }
  return word;
}

void TinyEngine::postModify(const Operand &o) {
  if (o.post == target::PostModify::None)
    return;
  unsigned p = o.kind == Operand::Kind::LocalMemory1;
  pointer[p] += o.post == target::PostModify::Increment ? 4 : -4;
  nextPointer[p] = pointer[p];
}

uint32_t TinyEngine::read(const Operand &o) {
  switch (o.kind) {
  case Operand::Kind::None:
    return 0;
  case Operand::Kind::GprA:
    return gprA[o.value];
  case Operand::Kind::GprB:
    return gprB[o.value];
  case Operand::Kind::SXfer:
  case Operand::Kind::DXfer: {
    auto &in = o.kind == Operand::Kind::SXfer ? sIn : dIn;
    if (!in[o.value])
      fail("transfer register read before its signal");
    return in[o.value].value_or(0);
  }
  case Operand::Kind::LocalMemory0:
  case Operand::Kind::LocalMemory1:
    return local[localAddress(o)];
  case Operand::Kind::Immediate:
    return o.value;
  default:
    fail("operand kind not expected");
    return 0;
  }
}

void TinyEngine::write(const Operand &o, uint32_t value) {
  switch (o.kind) {
  case Operand::Kind::None:
    return;
  case Operand::Kind::GprA:
    gprA[o.value] = value;
    return;
  case Operand::Kind::GprB:
    gprB[o.value] = value;
    return;
  case Operand::Kind::SXfer:
    sOut[o.value] = value;
    return;
  case Operand::Kind::DXfer:
    dOut[o.value] = value;
    return;
  case Operand::Kind::LocalMemory0:
  case Operand::Kind::LocalMemory1:
    local[localAddress(o)] = value;
    localWritten.insert(localAddress(o));
    return;
  default:
    fail("destination kind not expected");
  }
}

//===-- Arithmetic --------------------------------------------------------===//

void TinyEngine::logical(const Instruction &i, uint32_t a, uint32_t result) {
  flags = Flags{result >> 31 != 0, result == 0, {}, {}};
  previousA = a;
  previousResult = result;
  write(i.dest, result);
  postModify(i.a);
  postModify(i.b);
  postModify(i.dest);
}

void TinyEngine::arithmetic(const Instruction &i, uint32_t a, uint32_t b,
                            bool carryIn) {
  uint64_t sum = uint64_t(a) + b + carryIn;
  uint32_t result = uint32_t(sum);
  previousA = read(i.a);
  logical(i, *previousA, result);
  flags->c = sum >> 32 != 0;
  flags->v = (~(a ^ b) & (a ^ result)) >> 31 != 0;
}

bool TinyEngine::stepArithmetic(const Instruction &i) {
  auto carry = [&] {
    if (!flags || !flags->c) {
      fail("carry is not known");
      return false;
    }
    return *flags->c;
  };
  switch (i.op) {
  case Op::AluB:
    logical(i, read(i.a), read(i.b));
    return true;
  case Op::AluNotB:
    logical(i, read(i.a), ~read(i.b));
    return true;
  case Op::AluAdd:
    arithmetic(i, read(i.a), read(i.b), false);
    return true;
  case Op::AluAdd16:
    arithmetic(i, read(i.a), read(i.b) & 0xffff, false);
    return true;
  case Op::AluAdd8:
    arithmetic(i, read(i.a), read(i.b) & 0xff, false);
    return true;
  case Op::AluAddCarry:
    arithmetic(i, read(i.a), read(i.b), carry());
    return true;
  case Op::AluSub:
    arithmetic(i, read(i.a), ~read(i.b), true);
    return true;
  case Op::AluSubCarry:
    arithmetic(i, read(i.a), ~read(i.b), carry());
    return true;
  case Op::AluBSubA:
    arithmetic(i, ~read(i.a), read(i.b), true);
    return true;
  case Op::AluAnd:
    logical(i, read(i.a), read(i.a) & read(i.b));
    return true;
  case Op::AluNotAnd:
    logical(i, read(i.a), ~read(i.a) & read(i.b));
    return true;
  case Op::AluAndNot:
    logical(i, read(i.a), read(i.a) & ~read(i.b));
    return true;
  case Op::AluOr:
    logical(i, read(i.a), read(i.a) | read(i.b));
    return true;
  case Op::AluXor:
    logical(i, read(i.a), read(i.a) ^ read(i.b));
    return true;
  case Op::Ffs:
    logical(i, 0, read(i.b) ? unsigned(__builtin_ctz(read(i.b))) : 99);
    return true;
  default:
    return false;
  }
}

uint32_t TinyEngine::shifted(const Instruction &i, uint32_t b) {
  bool isIndirect = i.shift.kind == Shift::Kind::LeftIndirect ||
                    i.shift.kind == Shift::Kind::RightIndirect;
  if (isIndirect && !previousA)
    fail("no operand before an indirect shift");
  unsigned n = isIndirect ? previousA.value_or(0) & 31 : i.shift.amount;
  switch (i.shift.kind) {
  case Shift::Kind::None:
    return b;
  case Shift::Kind::Left:
  case Shift::Kind::LeftIndirect:
    return b << n;
  case Shift::Kind::Right:
  case Shift::Kind::RightIndirect:
    return b >> n;
  case Shift::Kind::RotateRight:
    return n ? b >> n | b << (32 - n) : b;
  }
  return b;
}

bool TinyEngine::stepShift(const Instruction &i) {
  uint32_t a = 0, b = 0;
  auto operands = [&] {
    a = read(i.a);
    b = shifted(i, read(i.b));
  };
  switch (i.op) {
  case Op::ShfB:
    operands();
    logical(i, a, b);
    return true;
  case Op::ShfNotB:
    operands();
    logical(i, a, ~b);
    return true;
  case Op::ShfAnd:
    operands();
    logical(i, a, a & b);
    return true;
  case Op::ShfNotAnd:
    operands();
    logical(i, a, ~a & b);
    return true;
  case Op::ShfAndNot:
    operands();
    logical(i, a, a & ~b);
    return true;
  case Op::ShfOr:
    operands();
    logical(i, a, a | b);
    return true;
  case Op::Asr: {
    if (!previousResult)
      fail("no result before asr");
    uint64_t fill = previousResult.value_or(0) >> 31 ? ~0ull << 32 : 0;
    unsigned n = i.shift.kind == Shift::Kind::RightIndirect
                     ? previousA.value_or(0) & 31
                     : i.shift.amount;
    logical(i, 0, uint32_t((fill | read(i.b)) >> n));
    return true;
  }
  case Op::DblShf: {
    unsigned n = i.shift.kind == Shift::Kind::RightIndirect
                     ? previousA.value_or(0) & 31
                     : i.shift.amount;
    uint64_t both = uint64_t(read(i.a)) << 32 | read(i.b);
    logical(i, read(i.a), uint32_t(both >> n));
    return true;
  }
  case Op::LdField:
  case Op::LdFieldWClr: {
    uint32_t mask = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
      if (i.byteMask >> byte & 1)
        mask |= 0xffu << 8 * byte;
    uint32_t kept = i.op == Op::LdField ? read(i.dest) & ~mask : 0;
    uint32_t result = kept | (shifted(i, read(i.b)) & mask);
    write(i.dest, result);
    if (i.loadCc)
      flags = Flags{result >> 31 != 0, result == 0, {}, {}};
    previousA.reset();
    previousResult.reset();
    return true;
  }
  default:
    return false;
  }
}

bool TinyEngine::stepConstant(const Instruction &i) {
  switch (i.op) {
  case Op::Nop:
    return true;
  case Op::Immed: {
    uint32_t value =
        uint32_t(i.immediate)
        << (i.shift.kind == Shift::Kind::Left ? i.shift.amount : 0);
    write(i.dest, csrValue ? *csrValue : i.invert ? ~value : value);
    csrValue.reset();
    constant = value;
    constantStep = steps;
    return true;
  }
  case Op::ImmedW0:
    write(i.dest, (read(i.dest) & 0xffff0000) | i.immediate);
    return true;
  case Op::ImmedW1:
    write(i.dest, (read(i.dest) & 0xffff) | uint32_t(i.immediate) << 16);
    return true;
  default:
    return false;
  }
}

bool TinyEngine::stepMultiply(const Instruction &i) {
  auto expect = [&](unsigned before, bool sameOperands) {
    if (multiplyStep != before ||
        (sameOperands && (read(i.a) != factorA || read(i.b) != factorB)))
      fail("multiply sequence");
    multiplyStep = before + 1;
  };
  auto count = [&](unsigned before) {
    if (countStep != before || (before && read(i.b) != counted))
      fail("pop_count sequence");
    counted = read(i.b);
    countStep = before + 1;
  };
  switch (i.op) {
  case Op::MulStart:
    multiplyStep = 0;
    factorA = read(i.a);
    factorB = read(i.b);
    expect(0, true);
    return true;
  case Op::Mul32x32Step1:
  case Op::Mul32x32Step2:
  case Op::Mul32x32Step3:
  case Op::Mul32x32Step4:
    expect(1 + unsigned(i.op) - unsigned(Op::Mul32x32Step1), true);
    return true;
  case Op::Mul24x8Step1:
  case Op::Mul16x16Step1:
    expect(1, true);
    return true;
  case Op::Mul16x16Step2:
    expect(2, true);
    return true;
  case Op::Mul24x8Last:
    expect(2, false);
    logical(i, 0, (factorA & 0xffffff) * (factorB & 0xff));
    return true;
  case Op::Mul16x16Last:
    expect(3, false);
    logical(i, 0, (factorA & 0xffff) * (factorB & 0xffff));
    return true;
  case Op::Mul32x32Last:
    expect(5, false);
    logical(i, 0, factorA * factorB);
    return true;
  case Op::Mul32x32Last2:
    expect(6, false);
    logical(i, 0, uint32_t(uint64_t(factorA) * factorB >> 32));
    return true;
  case Op::PopCount1:
    countStep = 0;
    count(0);
    return true;
  case Op::PopCount2:
    count(1);
    return true;
  case Op::PopCount3:
    count(2);
    logical(i, 0, unsigned(__builtin_popcount(counted)));
    return true;
  default:
    return false;
  }
}

} // namespace karakal::tests
