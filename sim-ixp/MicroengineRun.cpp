//===- MicroengineRun.cpp - execution of instructions
//----------------------===//
//
// The loop that executes prepared instructions. Each operation is one case of
// the switch, to be read against its line in the instruction table. Afterwards
// the common tail moves on by a cycle and a word; a branch that is taken goes
// through takeBranch.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Crc.h"
#include "sim-ixp/Microengine.h"
#include "support/Error.h"
#include "target-ixp/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

using target::Op;

/// How far an engine may run alone, in cycles: bounds a loop that touches
/// nothing.
constexpr uint64_t runAheadCycles = 1024;

/// A context that runs as long without a swap has run away.
constexpr uint64_t runawayCycles = 1000000;

uint32_t rotateRight(uint32_t value, uint32_t n) {
  return value >> n | value << ((32 - n) & 31);
}

} // namespace

uint32_t Microengine::shifted(const MicroOp &op, uint32_t value) const {
  if (op.parameter == ShiftConstant)
    return rotateRight(value, op.rotate) & op.shiftMask;
  uint32_t n = previousA & 31;
  return op.parameter == ShiftLeftIndirect ? value << n : value >> n;
}

/// The bits shifted in repeat the sign of the previous instruction's result.
uint32_t Microengine::arithmeticShift(const MicroOp &op, uint32_t value) const {
  uint32_t n = op.parameter == ShiftConstant ? op.rotate : previousA & 31;
  uint32_t fill = previousResult >> 31 ? ~(~uint32_t{0} >> n) : 0;
  return value >> n | fill;
}

uint32_t Microengine::doubleShift(const MicroOp &op, uint32_t high,
                                  uint32_t low) const {
  uint32_t n = op.parameter == ShiftConstant ? op.rotate : previousA & 31;
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> n);
}

uint32_t Microengine::byteAlign(Op op, uint32_t value) {
  commitPending();
  uint32_t shift = 8 * byteIndex;
  uint64_t pair = op == Op::ByteAlignBe ? uint64_t{alignLatch} << 32 | value
                                        : uint64_t{value} << 32 | alignLatch;
  alignLatch = value;
  return static_cast<uint32_t>(op == Op::ByteAlignBe ? pair >> (32 - shift)
                                                     : pair >> shift);
}

bool Microengine::condition(Op op) const {
  bool n = flagResult >> 31;
  bool z = flagResult == 0;
  switch (op) {
  case Op::Beq:
    return z;
  case Op::Bne:
    return !z;
  case Op::Bmi:
    return n;
  case Op::Bpl:
    return !n;
  case Op::Bcs:
    return flagC;
  case Op::Bcc:
    return !flagC;
  case Op::Bvs:
    return flagV;
  case Op::Bvc:
    return !flagV;
  case Op::Bge:
    return n == flagV;
  case Op::Blt:
    return n != flagV;
  case Op::Ble:
    return z || n != flagV;
  case Op::Bgt:
    return !z && n == flagV;
  default:
    return true; // br
  }
}

void Microengine::takeBranch(const MicroOp &op, uint32_t branchTarget) {
  ++time;
  if (op.defer == 0) {
    time += op.slots;
    counters.abortedCycles += op.slots;
    if (profile)
      profile->aborted[pc] += op.slots;
    pc = branchTarget;
    return;
  }
  slotsLeft = op.defer;
  abortAfterSlots = op.slots > op.defer ? op.slots - op.defer : 0;
  swapAfterSlots = false;
  slotsOwner = pc;
  pcAfterSlots = branchTarget;
  ++pc;
}

/// The delay slots of a branch or a swap are over.
void Microengine::finishSlots() {
  time += abortAfterSlots;
  counters.abortedCycles += abortAfterSlots;
  if (profile)
    profile->aborted[slotsOwner] += abortAfterSlots;
  if (!swapAfterSlots) {
    pc = pcAfterSlots;
    return;
  }
  contexts[current].pc = static_cast<uint16_t>(pcAfterSlots);
  contexts[current].waitBegin = time;
  contexts[current].waitPc = static_cast<uint16_t>(slotsOwner);
  needsArbitration = true;
  if (onContextRun)
    onContextRun(number, current, runBegin, time);
}

void Microengine::run(uint64_t limit) {
  refreshWatched();
  execute<false>(limit, Scheduler::never);
  publish();
}

void Microengine::runExactly(uint64_t limit, uint64_t stop) {
  refreshWatched();
  execute<true>(limit, stop);
  publish();
}

/// Whether the engine may do now what others see: nothing else comes first.
bool Microengine::isTurn(uint64_t &limit) {
  limit = std::min(limit, scheduler.nextCycle());
  if (time >= limit)
    return false;
  scheduler.advanceTo(time);
  return true;
}

/// Looks at what is special about `op` besides its turn; false: the engine
/// stops in front of it.
bool Microengine::isFine(const MicroOp &op, uint32_t special) {
  if (special & SpecialIllegal) {
    fault("the word is no instruction that this engine knows");
    return false;
  }
  if (special & SpecialBreak) {
    recorder.onBreak(number, describeRunning());
    return false;
  }
  if (special & SpecialTransfer)
    checkTransfers(op);
  if (special & SpecialLocal)
    checkLocalDelay(op);
  if (special & SpecialFourContexts && !isFourContexts) {
    fault("a context has 16 registers of a kind; more belong to the mode of "
          "four contexts");
    return false;
  }
  if (special & SpecialIndexed)
    return resolve(op, program->instructions[pc]);
  return !(special & SpecialLocal) || isLocalThere(op);
}

/// Whether a branch may be taken; a fault if not.
bool Microengine::mayBranch(const MicroOp &op, uint32_t branchTarget) {
  if (slotsLeft)
    fault("a branch in a delay slot is taken");
  else if (branchTarget >= program->ops.size())
    fault("a branch leads out of the program, to " +
          std::to_string(branchTarget));
  else if (op.special & SpecialBeforeCam)
    fault("a CAM instruction stands right behind a conditional branch that is "
          "taken: its effect is not suppressed");
  else
    return true;
  return false;
}

/// Gives the engine to the next context when the choice is settled; false if
/// there is none, or if it is not the engine's turn to look.
bool Microengine::mayGoOn(uint64_t &limit) {
  if (!isChoiceSettled()) {
    limit = std::min(limit, scheduler.nextCycle());
    if (time >= limit)
      return false;
  }
  return arbitrate();
}

// The switch holds one case an operation; splitting it would scatter the
// machine's semantics.
//
// Along a straight line the loop only moves on to the next operation: address
// and time follow from where the line began. The engine's own are brought up to
// them before anything that looks at them, and read back behind what changes
// them.
template <bool Exact> void Microengine::execute(uint64_t limit, uint64_t stop) {
  if (needsArbitration && ((Exact && time >= stop) || !mayGoOn(limit)))
    return;
  const MicroOp *const ops = program->ops.data();
  uint32_t *const r = regs.data();
  const uint64_t aheadLimit = time + runAheadCycles;
  const MicroOp *here = ops + pc;
  const MicroOp *lineBegin = here;
  uint64_t lineTime = time;
  auto show = [&](const MicroOp *place) {
    time = lineTime + static_cast<uint64_t>(place - lineBegin);
    pc = static_cast<uint32_t>(place - ops);
  };
  // The line ends in front of `place`.
  auto endLine = [&](const MicroOp *place) {
    counters.issueCycles += static_cast<uint64_t>(place - lineBegin);
    ++lineBegins[lineBegin - ops];
    ++lineEnds[place - ops];
  };
  auto beginLine = [&] {
    here = lineBegin = ops + pc;
    lineTime = time;
  };
  for (;;) {
    if (Exact && lineTime + static_cast<uint64_t>(here - lineBegin) >= stop) {
      show(here);
      return endLine(here);
    }
    const MicroOp *op = here;
    bool isIndexed = false;
    if (const uint32_t special = op->special & watched) {
      show(op);
      if (special & SpecialShared && !isTurn(limit))
        return endLine(here);
      if (special & ~uint32_t{SpecialShared | SpecialState}) {
        if (!isFine(*op, special))
          return endLine(here);
        if (special & SpecialIndexed) {
          op = &indexed.op;
          isIndexed = true;
        }
      }
    }
    const uint32_t a = r[op->a | bases[op->aBase]];
    const uint32_t b = r[op->b | bases[op->bBase]];
    uint32_t &dest = r[op->dest | bases[op->destBase]];
    uint32_t branchTarget = op->target;
    uint32_t result;
    uint32_t addend;
    uint64_t wide;

    switch (op->op) {
    case Op::AluB:
      result = b;
      goto logical;
    case Op::AluNotB:
      result = ~b;
      goto logical;
    case Op::AluAnd:
      result = a & b;
      goto logical;
    case Op::AluNotAnd:
      result = ~a & b;
      goto logical;
    case Op::AluAndNot:
      result = a & ~b;
      goto logical;
    case Op::AluOr:
      result = a | b;
      goto logical;
    case Op::AluXor:
      result = a ^ b;
      goto logical;
    case Op::AluAdd:
      addend = b;
      wide = uint64_t{a} + addend;
      goto added;
    case Op::AluAdd16:
      addend = b & 0xffff;
      wide = uint64_t{a} + addend;
      goto added;
    case Op::AluAdd8:
      addend = b & 0xff;
      wide = uint64_t{a} + addend;
      goto added;
    case Op::AluAddCarry:
      addend = b;
      wide = uint64_t{a} + addend + flagC;
      goto added;
    case Op::AluSub:
      result = a - b;
      setFlags(result, a >= b, ((a ^ b) & (a ^ result)) >> 31);
      goto arithmetic;
    case Op::AluBSubA:
      result = b - a;
      setFlags(result, b >= a, ((a ^ b) & (b ^ result)) >> 31);
      goto arithmetic;
    case Op::AluSubCarry: {
      uint64_t subtrahend = uint64_t{b} + !flagC;
      result = static_cast<uint32_t>(a - subtrahend);
      setFlags(result, a >= subtrahend, ((a ^ b) & (a ^ result)) >> 31);
      goto arithmetic;
    }
    case Op::PopCount1:
    case Op::PopCount2:
      break;
    case Op::PopCount3:
      result = static_cast<uint32_t>(__builtin_popcount(b));
      goto logical;
    case Op::Ffs:
      result = b ? static_cast<uint32_t>(__builtin_ctz(b)) : 0;
      goto logical;

    case Op::ShfB:
      result = shifted(*op, b);
      goto logical;
    case Op::ShfNotB:
      result = ~shifted(*op, b);
      goto logical;
    case Op::ShfAnd:
      result = a & shifted(*op, b);
      goto logical;
    case Op::ShfNotAnd:
      result = ~a & shifted(*op, b);
      goto logical;
    case Op::ShfAndNot:
      result = a & ~shifted(*op, b);
      goto logical;
    case Op::ShfOr:
      result = a | shifted(*op, b);
      goto logical;
    case Op::Asr:
      result = arithmeticShift(*op, b);
      goto logical;
    case Op::DblShf:
      result = doubleShift(*op, a, b);
      goto logical;
    case Op::ByteAlignBe:
    case Op::ByteAlignLe:
      result = byteAlign(op->op, b);
      goto logical;
    case Op::LdField:
      dest = (dest & ~op->value) | (shifted(*op, b) & op->value);
      goto fieldLoaded;
    case Op::LdFieldWClr:
      dest = shifted(*op, b) & op->value;
    fieldLoaded:
      previousA = a;
      previousResult = dest;
      if (op->target)
        setFlags(dest, false, false);
      break;

    case Op::Nop:
      break;
    case Op::Immed:
      dest = csrReadPending ? csrReadValue : op->value;
      csrReadPending = false;
      previousResult = dest; // an override of the next command [N]
      break;
    case Op::ImmedB0:
      dest = (dest & 0xffffff00) | (op->value & 0xff);
      break;
    case Op::ImmedB1:
      dest = (dest & 0xffff00ff) | (op->value & 0xff) << 8;
      break;
    case Op::ImmedB2:
      dest = (dest & 0xff00ffff) | (op->value & 0xff) << 16;
      break;
    case Op::ImmedB3:
      dest = (dest & 0x00ffffff) | (op->value & 0xff) << 24;
      break;
    case Op::ImmedW0:
      dest = (dest & 0xffff0000) | op->value;
      break;
    case Op::ImmedW1:
      dest = (dest & 0x0000ffff) | op->value << 16;
      break;

    case Op::MulStart:
      factorA = a;
      factorB = b;
      break;
    case Op::Mul24x8Step1:
      product = uint64_t{factorA & 0xffffff} * (factorB & 0xff);
      break;
    case Op::Mul16x16Step2:
      product = uint64_t{factorA & 0xffff} * (factorB & 0xffff);
      break;
    case Op::Mul32x32Step4:
      product = uint64_t{factorA} * factorB;
      break;
    case Op::Mul16x16Step1:
    case Op::Mul32x32Step1:
    case Op::Mul32x32Step2:
    case Op::Mul32x32Step3:
      break;
    case Op::Mul24x8Last:
    case Op::Mul16x16Last:
    case Op::Mul32x32Last:
      result = static_cast<uint32_t>(product);
      goto logical;
    case Op::Mul32x32Last2:
      result = static_cast<uint32_t>(product >> 32);
      goto logical;

    case Op::CamClear:
      cam.clear();
      break;
    case Op::CamLookup:
      dest = camLookup(program->instructions[here - ops], a);
      break;
    case Op::CamWrite:
      cam.write(b, a, op->parameter);
      break;
    case Op::CamWriteState:
      cam.writeState(b, op->parameter);
      break;
    case Op::CamReadTag:
      dest = cam.tag(b);
      break;
    case Op::CamReadState:
      dest = cam.stateWord(b);
      break;
    case Op::Crc:
      crcRemainder =
          advanceCrc(program->instructions[here - ops], crcRemainder, b);
      result = b;
      goto logical;

    case Op::Beq:
    case Op::Bne:
    case Op::Bmi:
    case Op::Bpl:
    case Op::Bcs:
    case Op::Bcc:
    case Op::Bvs:
    case Op::Bvc:
    case Op::Bge:
    case Op::Blt:
    case Op::Ble:
    case Op::Bgt:
      if (condition(op->op))
        goto taken;
      break;
    case Op::Br:
      goto taken;
    case Op::BrCtx:
      if (current == op->parameter)
        goto taken;
      break;
    case Op::BrNotCtx:
      if (current != op->parameter)
        goto taken;
      break;
    case Op::BrSignal:
    case Op::BrNotSignal: {
      uint16_t bit = static_cast<uint16_t>(1u << op->parameter);
      bool isSet = contexts[current].signals & bit;
      contexts[current].signals &= ~bit;
      if (isSet == (op->op == Op::BrSignal))
        goto taken;
      break;
    }
    case Op::BrInpState:
    case Op::BrNotInpState:
      if (inputState(op->parameter) == (op->op == Op::BrInpState))
        goto taken;
      break;
    case Op::BrBset:
      if (a >> op->parameter & 1)
        goto taken;
      break;
    case Op::BrBclr:
      if (!(a >> op->parameter & 1))
        goto taken;
      break;
    case Op::BrByte:
      if ((a >> (8 * op->parameter) & 0xff) == op->value)
        goto taken;
      break;
    case Op::BrNotByte:
      if ((a >> (8 * op->parameter) & 0xff) != op->value)
        goto taken;
      break;
    case Op::Jump:
      branchTarget = (op->target + a) & 0x1fff;
      goto taken;

    case Op::CtxArb:
      if (slotsLeft) {
        fault("a context swap in a delay slot");
        return endLine(here);
      }
      if (op->target >= program->ops.size()) {
        fault("a context would go on outside of the program, at " +
              std::to_string(op->target));
        return endLine(here);
      }
      contextArbitration(*op);
      break;
    case Op::CsrRead:
      if (here[1].op != Op::Immed || slotsLeft == 1) {
        fault("local_csr_rd has no immed behind it to take the value");
        return endLine(here);
      }
      csrReadValue = readCsr(program->instructions[here - ops].csr);
      csrReadPending = true;
      break;
    case Op::CsrWrite:
      writeCsr(program->instructions[here - ops].csr, a);
      if (isAsleep) // after a fault
        return endLine(here);
      break;
    default: // commands
      if (!issueCommand(*op, a + b, stop)) {
        if (isAsleep)
          return endLine(here);
        lineTime = time - static_cast<uint64_t>(here - lineBegin); // a stall
        continue;
      }
      break;

    added:
      result = static_cast<uint32_t>(wide);
      setFlags(result, wide >> 32, (~(a ^ addend) & (a ^ result)) >> 31);
    arithmetic:
      previousA = a;
      previousResult = result;
      dest = result;
      break;
    logical:
      previousA = a;
      previousResult = result;
      setFlags(result, false, false);
      dest = result;
      break;

    taken:
      show(here);
      if (isIndexed)
        finishIndexed();
      if (!mayBranch(*op, branchTarget))
        return endLine(here);
      endLine(here + 1);
      takeBranch(*op, branchTarget);
      beginLine();
      if (time > aheadLimit) {
        if (time - runBegin > runawayCycles)
          hazard(HazardKind::RunawayContext,
                 "the context has run for " + std::to_string(time - runBegin) +
                     " cycles without giving up the engine");
        return;
      }
      continue;
    }

    if (isIndexed)
      finishIndexed();
    ++here;
    if (slotsLeft && --slotsLeft == 0) {
      show(here);
      endLine(here);
      finishSlots();
      if (needsArbitration && ((Exact && time >= stop) || !mayGoOn(limit)))
        return;
      beginLine();
    }
  }
}

} // namespace karakal::sim
