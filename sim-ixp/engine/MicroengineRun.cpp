// Execution of instructions.
//
// The loop executes prepared instructions: chains of the data path
// (DataPath.h), and between chains one operation at a time. After an operation
// the engine advances by a cycle and a word, or takes a branch.

#include "sim-ixp/engine/Crc.h"
#include "sim-ixp/engine/DataPath.h"
#include "sim-ixp/engine/Microengine.h"
#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

using target::Op;

/// A context that runs this long without a swap is reported.
constexpr uint64_t runawayCycles = 1000000;

} // namespace

uint32_t Microengine::byteAlign(Op op, uint32_t value) {
  commitPending();
  uint32_t shift = 8 * csrs.byteIndex;
  uint64_t pair = op == Op::ByteAlignBe
                      ? uint64_t{latches.alignLatch} << 32 | value
                      : uint64_t{value} << 32 | latches.alignLatch;
  latches.alignLatch = value;
  return static_cast<uint32_t>(op == Op::ByteAlignBe ? pair >> (32 - shift)
                                                     : pair >> shift);
}

/// Whether the remaining delay slots are operations of the data path that need
/// no attention.
bool Microengine::areSlotsPlain(const MicroOp *slot) const {
  for (const MicroOp *end = slot + delaySlots.left; slot != end; ++slot)
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
  delaySlots.left = op.defer();
  delaySlots.abortedAfter =
      op.slots() > op.defer() ? op.slots() - op.defer() : 0;
  delaySlots.isSwap = false;
  delaySlots.owner = pc;
  delaySlots.pcAfter = branchTarget;
  ++pc;
}

/// After the delay slots of a branch or a swap.
void Microengine::finishSlots() {
  KARAKAL_ASSERT(delaySlots.left == 0, "delay slots are left");
  time += delaySlots.abortedAfter;
  counters.abortedCycles += delaySlots.abortedAfter;
  if (profile)
    profile->aborted[delaySlots.owner] += delaySlots.abortedAfter;
  if (!delaySlots.isSwap) {
    pc = delaySlots.pcAfter;
    return;
  }
  finishSwap(delaySlots.pcAfter);
}

/// Begins a block; false if no context has the engine.
bool Microengine::beginRun() {
  aheadLimit = time + runAheadCycles;
  if (needsArbitration && !canContinue())
    return false;
  beginBlock();
  return true;
}

void Microengine::run(uint64_t limit) {
  othersLimit = limit;
  if (beginRun()) {
    const MicroOp *here = blockBegin;
    if (delaySlots.left == 0 && !isStepping)
      here = here->chain(here, regs.data(), regs.data() + arbiter.current * 16,
                         this);
    if (here)
      execute<false>(here, Scheduler::never);
  }
  publish();
}

void Microengine::runExactly(uint64_t limit, uint64_t stop) {
  othersLimit = limit;
  if (time < stop && beginRun())
    execute<true>(blockBegin, stop);
  publish();
}

/// Handles the flags of `op` other than SpecialShared; false if the engine
/// stops before it.
bool Microengine::checkSpecial(const MicroOp &op, uint32_t special) {
  if (special & SpecialIllegal) {
    fault("the word is no instruction that this engine knows");
    return false;
  }
  if (special & SpecialBreak && observer.stopsAt(number, arbiter.current)) {
    observer.onBreak(number, describeRunning());
    isAsleep = true; // until the simulation notices the breakpoint
    sleepBegin = time;
    return false;
  }
  if (special & SpecialTransfer)
    checkTransfers(op);
  if (special & SpecialLocal)
    checkLocalDelay(op);
  if (special & SpecialFlags)
    latches.flags = latches.frozenFlags;
  if (special & SpecialFourContexts)
    commitPending();
  if (special & SpecialFourContexts && !isFourContexts) {
    fault("a context has 16 registers of a kind; more exist only in "
          "four-context mode");
    return false;
  }
  if (special & SpecialIndexed)
    return resolve(op, program->instructions[pc]);
  return !(special & SpecialLocal) || doLocalWordsExist(op);
}

/// Whether a branch may be taken; reports a fault if not.
bool Microengine::mayBranch(const MicroOp &op, uint32_t branchTarget) {
  if (delaySlots.left)
    fault("a branch in a delay slot is taken");
  else if (branchTarget >= program->ops.size())
    fault("a branch leaves the program, to " + std::to_string(branchTarget));
  else if (op.special & SpecialBeforeCam)
    fault("a CAM instruction directly follows a conditional branch that is "
          "taken: its effect is not suppressed");
  else
    return true;
  return false;
}

/// The loop's state. Along a straight block of instructions it only moves to
/// the next operation: address and time follow from where the block began. The
/// engine's PC and time are brought up to date (Microengine::synchronize)
/// before anything reads them.
struct Microengine::Loop {
  enum class Outcome {
    Next,   ///< executed
    Taken,  ///< executed; it is a branch to branchTarget
    Repeat, ///< not executed: the engine has stalled
    Stop,   ///< not executed: the engine stops before it
  };

  Microengine &e;
  const MicroOp *here;         ///< the operation at the engine's address
  const MicroOp *op = nullptr; ///< what executes: *here, or it with its indexed
                               ///< operands resolved
  bool isIndexed = false;      ///< op is the latter
  uint32_t branchTarget = 0;

  uint32_t a() const { return e.regs[op->a | e.bases[op->aBase]]; }
  uint32_t b() const { return e.regs[op->b | e.bases[op->bBase]]; }
  uint32_t &dest() const { return e.regs[op->dest | e.bases[op->destBase]]; }
  const target::Instruction &instruction() const {
    return e.program->instructions[here - e.ops];
  }

  /// Whether the operation may execute; sets op and isIndexed.
  bool admit() {
    op = here;
    isIndexed = false;
    const uint32_t special = op->special & e.watched;
    if (!special)
      return true;
    e.synchronize(op);
    if (special & SpecialShared && !e.isEarliest())
      return false;
    if (!(special & ~uint32_t{SpecialShared | SpecialState}))
      return true;
    if (!e.checkSpecial(*op, special))
      return false;
    if (special & SpecialIndexed) {
      op = &e.indexed.op;
      isIndexed = true;
    }
    return true;
  }

  /// Executes all but the last delay slot if none of them needs attention.
  void executePlainSlots() {
    if (e.delaySlots.left > 1 && !e.isStepping && e.areSlotsPlain(here))
      for (; e.delaySlots.left > 1; --e.delaySlots.left)
        DataPath::step(e, *here++);
  }

  /// Continues with a chain; false if the engine stops.
  bool chain() {
    if (e.delaySlots.left == 0 && !e.isStepping)
      here = here->chain(here, e.regs.data(),
                         e.regs.data() + e.arbiter.current * 16, &e);
    return here != nullptr;
  }

  Outcome perform(uint64_t stop);
  Outcome performBranch();
  Outcome performControl(uint64_t stop);
  void performCam();
  void performCrc();
  bool advance(uint64_t stop);
  bool takeBranch();
};

void Microengine::Loop::performCam() {
  switch (op->op) {
  case Op::CamClear:
    return e.cam.clear();
  case Op::CamLookup:
    dest() = e.camLookup(instruction(), a());
    return;
  case Op::CamWrite:
    return e.cam.write(b(), a(), op->parameter);
  case Op::CamWriteState:
    return e.cam.writeState(b(), op->parameter);
  case Op::CamReadTag:
    dest() = e.cam.tag(b());
    return;
  case Op::CamReadState:
    dest() = e.cam.stateWord(b());
    return;
  default:
    KARAKAL_UNREACHABLE("not a CAM instruction");
  }
}

void Microengine::Loop::performCrc() {
  e.synchronize(here);
  e.commitPending();
  e.checkCrc(1, "a crc is issued");
  e.csrs.crcEnd = e.time + 1;
  e.csrs.crcRemainder = advanceCrc(instruction(), e.csrs.crcRemainder, b());
  e.latches.previousA = a();
  e.latches.previousResult = b();
  e.latches.setFlags(e.latches.previousResult, false, false);
  dest() = e.latches.previousResult;
}

Microengine::Loop::Outcome Microengine::Loop::performBranch() {
  bool isTaken = true;
  switch (op->op) {
  case Op::Br:
    break;
  case Op::BrSignal:
  case Op::BrNotSignal:
    isTaken = e.takeSignal(op->parameter) == (op->op == Op::BrSignal);
    break;
  case Op::BrInpState:
  case Op::BrNotInpState:
    isTaken = e.inputState(op->parameter) == (op->op == Op::BrInpState);
    break;
  case Op::Jump:
    branchTarget = (op->target + a()) & pcMask;
    return Outcome::Taken;
  default:
    isTaken = DataPath::isTaken(e, *op);
  }
  branchTarget = op->target;
  return isTaken ? Outcome::Taken : Outcome::Next;
}

/// Swaps, local CSRs and commands.
Microengine::Loop::Outcome Microengine::Loop::performControl(uint64_t stop) {
  switch (op->op) {
  case Op::CtxArb:
    if (e.delaySlots.left) {
      e.fault("a context swap in a delay slot");
      return Outcome::Stop;
    }
    if (op->target >= e.program->ops.size()) {
      e.fault("a context would continue outside the program, at " +
              std::to_string(op->target));
      return Outcome::Stop;
    }
    e.beginSwap(e.contextArbitration(*op), op->defer());
    return Outcome::Next;
  case Op::CsrRead:
    if (here[1].op != Op::Immed || e.delaySlots.left == 1) {
      e.fault("local_csr_rd is not followed by an immed that takes the value");
      return Outcome::Stop;
    }
    if (op->value == target::Csr_CRC_REMAINDER)
      e.checkCrc(e.crcSlots, "CRC_REMAINDER is read");
    e.latches.csrReadValue = e.readCsr(op->value);
    e.latches.csrReadPending = true;
    return Outcome::Next;
  case Op::CsrWrite:
    e.writeCsr(op->value, a());
    return e.isAsleep ? Outcome::Stop : Outcome::Next; // asleep after a fault
  default:
    KARAKAL_ASSERT(op->special & SpecialCommand,
                   "the operation belongs to no part of the engine");
    if (e.issueCommand(*op, a() + b(), stop))
      return Outcome::Next;
    return e.isAsleep || e.isStalled ? Outcome::Stop : Outcome::Repeat;
  }
}

/// Executes the operation, to be compared with its line in the instruction
/// table.
Microengine::Loop::Outcome Microengine::Loop::perform(uint64_t stop) {
  switch (op->op) {
#define KARAKAL_DATA(name) case Op::name:
    KARAKAL_DATA_PATH(KARAKAL_DATA)
#undef KARAKAL_DATA
    DataPath::step(e, *op);
    return Outcome::Next;
  case Op::CamClear:
  case Op::CamLookup:
  case Op::CamWrite:
  case Op::CamWriteState:
  case Op::CamReadTag:
  case Op::CamReadState:
    performCam();
    return Outcome::Next;
  case Op::Crc:
    performCrc();
    return Outcome::Next;
#define KARAKAL_BRANCH(name) case Op::name:
    KARAKAL_CONDITIONAL_BRANCHES(KARAKAL_BRANCH)
#undef KARAKAL_BRANCH
  case Op::Br:
  case Op::BrSignal:
  case Op::BrNotSignal:
  case Op::BrInpState:
  case Op::BrNotInpState:
  case Op::Jump:
    return performBranch();
  default:
    return performControl(stop);
  }
}

/// Moves on after an operation other than a taken branch; false if the engine
/// stops.
bool Microengine::Loop::advance(uint64_t stop) {
  if (isIndexed)
    e.finishIndexed();
  ++here;
  if (e.delaySlots.left == 0 || --e.delaySlots.left != 0)
    return true;
  e.synchronize(here);
  e.endBlock(here);
  e.finishSlots();
  if (e.needsArbitration && (e.time >= stop || !e.canContinue()))
    return false;
  here = e.beginBlock();
  return true;
}

/// Takes the branch to branchTarget; false if the engine stops.
bool Microengine::Loop::takeBranch() {
  e.synchronize(here);
  if (isIndexed)
    e.finishIndexed();
  if (!e.mayBranch(*op, branchTarget)) {
    e.endBlock(here);
    return false;
  }
  e.endBlock(here + 1);
  e.takeBranch(*op, branchTarget);
  here = e.beginBlock();
  if (e.time <= e.aheadLimit)
    return true;
  if (e.time - e.segmentBegin > runawayCycles)
    e.hazard(HazardKind::RunawayContext,
             "the context has run for " +
                 std::to_string(e.time - e.segmentBegin) +
                 " cycles without giving up the engine");
  return false;
}

template <bool Exact>
void Microengine::execute(const MicroOp *begin, uint64_t stop) {
  Loop loop{*this, begin};
  for (;;) {
    if (Exact && cycleOf(loop.here) >= stop) {
      synchronize(loop.here);
      return endBlock(loop.here);
    }
    if (isStepping) {
      synchronize(loop.here);
      commitPending();
    }
    if (!Exact)
      loop.executePlainSlots();
    if (!loop.admit())
      return endBlock(loop.here);
    switch (loop.perform(stop)) {
    case Loop::Outcome::Stop:
      return endBlock(loop.here);
    case Loop::Outcome::Repeat:
      blockTime = time - static_cast<uint64_t>(loop.here - blockBegin);
      continue;
    case Loop::Outcome::Taken:
      if (!loop.takeBranch())
        return;
      break;
    case Loop::Outcome::Next:
      if (!loop.advance(stop))
        return;
      break;
    }
    if (!Exact && !loop.chain())
      return;
  }
}

} // namespace karakal::sim
