// Commands and swaps inside chains.
//
// See DataPath.h for chains. These handlers do what the engine's loop
// (MicroengineRun.cpp) does for the same operations in the common case: no
// profile, no breakpoint, and delay slots that need no attention.

#include "sim-ixp/engine/DataPath.h"
#include "sim-ixp/engine/Microengine.h"

#include <algorithm>
#include <utility>

namespace karakal::sim {

using target::Op;

struct DataPath::Control {
  static uint32_t a(const MicroOp &op, uint32_t *regs, Microengine *e) {
    return regs[op.a | e->bases[op.aBase]];
  }
  static uint32_t b(const MicroOp &op, uint32_t *regs, Microengine *e) {
    return regs[op.b | e->bases[op.bBase]];
  }

  /// The engine stops before `op`.
  static const MicroOp *halt(const MicroOp *op, Microengine *e) {
    e->endBlock(op);
    return nullptr;
  }

  /// Whether an operation needs the engine's loop for another reason than
  /// shared state or the engine's time, which these handlers take care of.
  static bool isSpecial(const MicroOp &op, const Microengine *e) {
    return op.special & e->watched & ~(SpecialShared | SpecialState);
  }
  static bool areSlotsSpecial(const MicroOp &op, const Microengine *e) {
    return op.shiftMask & (e->watched | SpecialControl);
  }

  /// Executes the delay slots of `op`, which are operations of the data path.
  static void executeSlots(const MicroOp *op, Microengine *e) {
    for (const MicroOp *slot = op + 1; slot <= op + op->defer(); ++slot)
      DataPath::step(*e, *slot);
  }

  /// The context gives up the engine after the delay slots of `op`, which have
  /// executed. Returns where the next context continues, or null if the next
  /// context is not known yet.
  static const MicroOp *swap(const MicroOp *op, uint32_t resume,
                             Microengine *e) {
    uint32_t defer = op->defer();
    uint32_t slots = std::max(e->swapSlots, defer);
    e->delaySlots.owner = e->pc;
    e->time = e->cycleOf(op + 1 + slots);
    e->endBlock(op + 1 + defer);
    e->counters.abortedCycles += slots - defer;
    ++e->counters.swaps;
    e->finishSwap(resume);
    return e->canContinue() ? e->beginBlock() : nullptr;
  }

  /// Executes a delay slot that writes a local CSR or is a command; false if
  /// the engine's loop must do it, or if the engine has stopped in it.
  static bool executeWrite(const MicroOp *slot, Microengine *e) {
    if (slot->special & SpecialShared && !e->isEarliest())
      return false;
    uint32_t *regs = e->regs.data();
    if (slot->op == Op::CsrWrite) {
      e->writeCsr(slot->value, a(*slot, regs, e));
      return !e->isAsleep;
    }
    const CommandShape &shape = e->commandShapes[slot->value];
    return e->chassis.fifoFreeCycle(e->number) <= e->time &&
           e->sendCommand(shape, *slot, a(*slot, regs, e) + b(*slot, regs, e));
  }

  /// As swap, for any delay slots. Returns the first slot that the engine's
  /// loop must execute, if there is one.
  static const MicroOp *swapAfterWrites(const MicroOp *op, uint32_t resume,
                                        Microengine *e, bool &isDone) {
    constexpr uint32_t handled = SpecialShared | SpecialState;
    uint32_t defer = op->defer(), owner = e->pc;
    for (uint32_t i = 1; i <= defer; ++i) {
      const MicroOp *slot = op + i;
      bool isPlain = !(slot->special & e->watched & ~handled);
      if (isPlain && !(slot->special & SpecialControl)) {
        DataPath::step(*e, *slot);
        continue;
      }
      e->synchronize(slot);
      if (isPlain && executeWrite(slot, e))
        continue;
      uint32_t slotPc = std::exchange(e->pc, owner);
      e->beginSwap(resume, defer);
      e->pc = slotPc;
      e->delaySlots.left = static_cast<uint8_t>(defer + 1 - i);
      isDone = false;
      return e->isAsleep ? halt(slot, e) : slot;
    }
    e->pc = owner;
    return swap(op, resume, e);
  }

  static const MicroOp *arbitrate(const MicroOp *op, uint32_t *regs, uint32_t *,
                                  Microengine *e) {
    if (isSpecial(*op, e) || areSlotsSpecial(*op, e))
      return op;
    e->synchronize(op);
    if (op->special & SpecialShared && !e->isEarliest())
      return halt(op, e);
    uint32_t resume = e->contextArbitration(*op);
    bool isDone = true;
    if (op->shiftMask & SpecialSlotWrite) {
      op = swapAfterWrites(op, resume, e, isDone);
    } else {
      executeSlots(op, e);
      op = swap(op, resume, e);
    }
    if (!op || !isDone)
      return op;
    KARAKAL_CHAIN op->chain(op, regs, regs + e->arbiter.current * 16, e);
  }

  template <bool HasSwap>
  static const MicroOp *command(const MicroOp *op, uint32_t *regs,
                                uint32_t *own, Microengine *e) {
    if (isSpecial(*op, e) || (HasSwap && areSlotsSpecial(*op, e)))
      return op;
    e->synchronize(op);
    if (!e->isEarliest())
      return halt(op, e);
    if (e->chassis.fifoFreeCycle(e->number) > e->time)
      return op; // a stall
    const CommandShape &shape = e->commandShapes[op->value];
    if (!e->sendCommand(shape, *op, a(*op, regs, e) + b(*op, regs, e)))
      return halt(op, e);
    if constexpr (HasSwap) {
      e->wait(1u << shape.head.signal, false);
      executeSlots(op, e);
      op = swap(op, e->pc + 1 + op->defer(), e);
      if (!op)
        return op;
      own = regs + e->arbiter.current * 16;
    } else {
      ++op;
    }
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  /// A branch on a signal or an input state. The legality of the branch and of
  /// its delay slots is checked before it takes the signal.
  template <bool IsSignal>
  static const MicroOp *inputBranch(const MicroOp *op, uint32_t *regs,
                                    uint32_t *own, Microengine *e) {
    if (isSpecial(*op, e) || areSlotsSpecial(*op, e) ||
        e->isFarAhead(op, op->target))
      return op;
    e->synchronize(op);
    if (!e->isEarliest())
      return halt(op, e);
    bool isWanted = op->op == Op::BrSignal || op->op == Op::BrInpState;
    bool isSet =
        IsSignal ? e->takeSignal(op->parameter) : e->inputState(op->parameter);
    if (isSet != isWanted) {
      ++op;
      KARAKAL_CHAIN op->chain(op, regs, own, e);
    }
    executeSlots(op, e);
    op = e->jump(op, op->target);
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  static const MicroOp *jump(const MicroOp *op, uint32_t *regs, uint32_t *own,
                             Microengine *e) {
    uint32_t target = (op->target + a(*op, regs, e)) & Microengine::pcMask;
    if (op->special & e->watched || areSlotsSpecial(*op, e) ||
        target >= e->program->ops.size() || e->isFarAhead(op, target))
      return op;
    executeSlots(op, e);
    op = e->jump(op, target);
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  static const MicroOp *readCsr(const MicroOp *op, uint32_t *regs,
                                uint32_t *own, Microengine *e) {
    if (isSpecial(*op, e))
      return op;
    e->synchronize(op);
    if (op->special & SpecialShared && !e->isEarliest())
      return halt(op, e);
    e->latches.csrReadValue = e->readCsr(op->value);
    e->latches.csrReadPending = true;
    ++op;
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  static const MicroOp *writeCsr(const MicroOp *op, uint32_t *regs,
                                 uint32_t *own, Microengine *e) {
    if (isSpecial(*op, e))
      return op;
    e->synchronize(op);
    if (op->special & SpecialShared && !e->isEarliest())
      return halt(op, e);
    e->writeCsr(op->value, a(*op, regs, e));
    if (e->isAsleep) // after a fault
      return halt(op, e);
    ++op;
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }
};

ChainHandler DataPath::controlOf(const MicroOp &op) {
  if (op.special & SpecialAlways & ~(SpecialShared | SpecialState))
    return nullptr;
  if (op.special & SpecialCommand)
    return op.slots() != 0 ? Control::command<true> : Control::command<false>;
  switch (op.op) {
  case Op::CtxArb:
    return Control::arbitrate;
  case Op::BrSignal:
  case Op::BrNotSignal:
    return Control::inputBranch<true>;
  case Op::BrInpState:
  case Op::BrNotInpState:
    return Control::inputBranch<false>;
  case Op::Jump:
    return Control::jump;
  case Op::CsrRead:
    // The engine's loop checks the delay of a crc, and that an immed takes the
    // value.
    return op.value != target::Csr_CRC_REMAINDER && (&op)[1].op == Op::Immed
               ? Control::readCsr
               : nullptr;
  case Op::CsrWrite:
    // After a write of CC_ENABLE the engine takes single steps.
    return op.value != target::Csr_CC_ENABLE ? Control::writeCsr : nullptr;
  default:
    return nullptr;
  }
}

} // namespace karakal::sim
