// Execution of instructions.
//
// The loop that executes prepared instructions: chains of the data path, and
// between them one operation at a time, each a case of the switch, to be read
// against its line in the instruction table. Afterwards the common tail moves
// on by a cycle and a word; a branch that is taken goes through takeBranch.

#include "sim-ixp/engine/Crc.h"
#include "sim-ixp/engine/DataPath.h"
#include "sim-ixp/engine/Microengine.h"
#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

using target::Op;

/// A context that runs as long without a swap has run away.
constexpr uint64_t runawayCycles = 1000000;

} // namespace

uint32_t Microengine::byteAlign(Op op, uint32_t value) {
  commitPending();
  uint32_t shift = 8 * byteIndex;
  uint64_t pair = op == Op::ByteAlignBe ? uint64_t{alignLatch} << 32 | value
                                        : uint64_t{value} << 32 | alignLatch;
  alignLatch = value;
  return static_cast<uint32_t>(op == Op::ByteAlignBe ? pair >> (32 - shift)
                                                     : pair >> shift);
}

/// Whether the rest of the delay slots are operations of the data path that
/// need no look.
bool Microengine::areSlotsPlain(const MicroOp *slot) const {
  for (const MicroOp *end = slot + slotsLeft; slot != end; ++slot)
    if (slot->special & (watched | SpecialControl))
      return false;
  return true;
}

void Microengine::takeBranch(const MicroOp &op, uint32_t branchTarget) {
  ++time;
  if (op.defer() == 0) {
    time += op.slots();
    counters.abortedCycles += op.slots();
    if (profile)
      profile->aborted[pc] += op.slots();
    pc = branchTarget;
    return;
  }
  slotsLeft = op.defer();
  abortAfterSlots = op.slots() > op.defer() ? op.slots() - op.defer() : 0;
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
  finishSwap(pcAfterSlots);
}

/// A run of straight lines begins, if a context has the engine.
bool Microengine::begin() {
  aheadLimit = time + runAheadCycles;
  if (needsArbitration && !mayGoOn())
    return false;
  beginLine();
  return true;
}

void Microengine::run(uint64_t limit) {
  turnLimit = limit;
  if (begin()) {
    const MicroOp *here = lineBegin;
    if (slotsLeft == 0 && !isStepping)
      here = here->chain(here, regs.data(), regs.data() + current * 16, this);
    if (here)
      execute<false>(here, Scheduler::never);
  }
  publish();
}

void Microengine::runExactly(uint64_t limit, uint64_t stop) {
  turnLimit = limit;
  if (time < stop && begin())
    execute<true>(lineBegin, stop);
  publish();
}

/// Looks at what is special about `op` besides its turn; false: the engine
/// stops in front of it.
bool Microengine::isFine(const MicroOp &op, uint32_t special) {
  if (special & SpecialIllegal) {
    fault("the word is no instruction that this engine knows");
    return false;
  }
  if (special & SpecialBreak) {
    observer.onBreak(number, describeRunning());
    isAsleep = true; // until the run is found to be over
    sleepBegin = time;
    return false;
  }
  if (special & SpecialTransfer)
    checkTransfers(op);
  if (special & SpecialLocal)
    checkLocalDelay(op);
  if (special & SpecialFlags)
    setFlags(heldFlags.result, heldFlags.carry, heldFlags.overflow);
  if (special & SpecialFourContexts)
    commitPending();
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

// The switch holds one case an operation; splitting it would scatter the
// machine's semantics.
//
// Along a straight line the loop only moves on to the next operation: address
// and time follow from where the line began. The engine's own are brought up to
// them before anything that looks at them, and read back behind what changes
// them.
template <bool Exact>
void Microengine::execute(const MicroOp *here, uint64_t stop) {
  uint32_t *const r = regs.data();
  // On to the next operation that needs a look; false: the engine stops.
  auto goOn = [&] {
    if (!Exact && slotsLeft == 0 && !isStepping)
      here = here->chain(here, r, r + current * 16, this);
    return here != nullptr;
  };
  for (;;) {
    if (Exact && lineTime + static_cast<uint64_t>(here - lineBegin) >= stop) {
      show(here);
      return endLine(here);
    }
    if (isStepping) {
      show(here);
      commitPending();
    }
    if (!Exact && slotsLeft > 1 && !isStepping && areSlotsPlain(here))
      for (; slotsLeft > 1; --slotsLeft)
        DataPath::step(*this, *here++);
    const MicroOp *op = here;
    bool isIndexed = false;
    if (const uint32_t special = op->special & watched) {
      show(op);
      if (special & SpecialShared && !isTurn())
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
    uint32_t branchTarget = op->target;
    auto a = [&] { return r[op->a | bases[op->aBase]]; };
    auto b = [&] { return r[op->b | bases[op->bBase]]; };
    auto dest = [&]() -> uint32_t & {
      return r[op->dest | bases[op->destBase]];
    };

    switch (op->op) {
    case Op::CamClear:
      cam.clear();
      break;
    case Op::CamLookup:
      dest() = camLookup(program->instructions[here - ops], a());
      break;
    case Op::CamWrite:
      cam.write(b(), a(), op->parameter);
      break;
    case Op::CamWriteState:
      cam.writeState(b(), op->parameter);
      break;
    case Op::CamReadTag:
      dest() = cam.tag(b());
      break;
    case Op::CamReadState:
      dest() = cam.stateWord(b());
      break;
    case Op::Crc:
      show(here);
      commitPending();
      checkCrc(1, "a crc stands");
      crcEnd = time + 1;
      crcRemainder =
          advanceCrc(program->instructions[here - ops], crcRemainder, b());
      previousA = a();
      previousResult = b();
      setFlags(previousResult, false, false);
      dest() = previousResult;
      break;

#define KARAKAL_BRANCH(name) case Op::name:
      KARAKAL_CONDITIONAL_BRANCHES(KARAKAL_BRANCH)
#undef KARAKAL_BRANCH
      if (DataPath::isTaken(*this, *op))
        goto taken;
      break;
    case Op::Br:
      goto taken;
    case Op::BrSignal:
    case Op::BrNotSignal:
      if (takeSignal(op->parameter) == (op->op == Op::BrSignal))
        goto taken;
      break;
    case Op::BrInpState:
    case Op::BrNotInpState:
      if (inputState(op->parameter) == (op->op == Op::BrInpState))
        goto taken;
      break;
    case Op::Jump:
      branchTarget = (op->target + a()) & pcMask;
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
      beginSwap(contextArbitration(*op), op->defer());
      break;
    case Op::CsrRead:
      if (here[1].op != Op::Immed || slotsLeft == 1) {
        fault("local_csr_rd has no immed behind it to take the value");
        return endLine(here);
      }
      if (op->value == target::Csr_CRC_REMAINDER)
        checkCrc(crcSlots, "CRC_REMAINDER is read");
      csrReadValue = readCsr(op->value);
      csrReadPending = true;
      break;
    case Op::CsrWrite:
      writeCsr(op->value, a());
      if (isAsleep) // after a fault
        return endLine(here);
      break;
    default:
      if (!(op->special & SpecialCommand)) {
        DataPath::step(*this, *op);
        break;
      }
      if (!issueCommand(*op, a() + b(), stop)) {
        if (isAsleep)
          return endLine(here);
        lineTime = time - static_cast<uint64_t>(here - lineBegin); // a stall
        continue;
      }
      break;

    taken:
      show(here);
      if (isIndexed)
        finishIndexed();
      if (!mayBranch(*op, branchTarget))
        return endLine(here);
      endLine(here + 1);
      takeBranch(*op, branchTarget);
      here = beginLine();
      if (time > aheadLimit) {
        if (time - runBegin > runawayCycles)
          hazard(HazardKind::RunawayContext,
                 "the context has run for " + std::to_string(time - runBegin) +
                     " cycles without giving up the engine");
        return;
      }
      if (!goOn())
        return;
      continue;
    }

    if (isIndexed)
      finishIndexed();
    ++here;
    if (slotsLeft && --slotsLeft == 0) {
      show(here);
      endLine(here);
      finishSlots();
      if (needsArbitration && ((Exact && time >= stop) || !mayGoOn()))
        return;
      here = beginLine();
    }
    if (!goOn())
      return;
  }
}

} // namespace karakal::sim
