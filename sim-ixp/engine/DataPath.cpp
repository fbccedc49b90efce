// Operations of the data path.

#include "sim-ixp/engine/DataPath.h"
#include "sim-ixp/engine/Microengine.h"
#include "support/Error.h"

namespace karakal::sim {

using target::Op;

namespace {

uint32_t rotateRight(uint32_t value, uint32_t n) {
  return value >> n | value << ((32 - n) & 31);
}

uint32_t immedField(uint32_t old, uint32_t value, uint32_t shift,
                    uint32_t mask) {
  return (old & ~(mask << shift)) | (value & mask) << shift;
}

} // namespace

/// The meaning of each operation, to be compared with its line in the
/// instruction table. Each function returns the result, given the sources and
/// the old value of the destination, and updates the engine's latches and
/// flags.
struct DataPath::Semantics {
  using Engine = Microengine;

  static uint32_t logical(Engine &e, uint32_t a, uint32_t result) {
    e.latches.previousA = a;
    e.latches.previousResult = result;
    e.latches.setFlags(result, false, false);
    return result;
  }
  static uint32_t sum(Engine &e, uint32_t a, uint32_t addend, bool carry) {
    uint64_t wide = uint64_t{a} + addend + carry;
    uint32_t result = static_cast<uint32_t>(wide);
    e.latches.setFlags(result, wide >> 32,
                       (~(a ^ addend) & (a ^ result)) >> 31);
    e.latches.previousA = a;
    e.latches.previousResult = result;
    return result;
  }
  /// Sets the flags of minuend - subtrahend and latches `a`.
  static uint32_t difference(Engine &e, uint32_t a, uint32_t minuend,
                             uint32_t subtrahend, bool borrow) {
    uint64_t taken = uint64_t{subtrahend} + borrow;
    uint32_t result = static_cast<uint32_t>(minuend - taken);
    e.latches.setFlags(result, minuend >= taken,
                       ((minuend ^ subtrahend) & (minuend ^ result)) >> 31);
    e.latches.previousA = a;
    e.latches.previousResult = result;
    return result;
  }
  static uint32_t shifted(Engine &e, const MicroOp &op, uint32_t value) {
    if (op.parameter == ShiftConstant)
      return rotateRight(value, op.rotate) & op.shiftMask;
    uint32_t n = e.latches.previousA & 31;
    return op.parameter == ShiftLeftIndirect ? value << n : value >> n;
  }
  static uint32_t amount(Engine &e, const MicroOp &op) {
    return op.parameter == ShiftConstant ? op.rotate : e.latches.previousA & 31;
  }
  static uint32_t field(Engine &e, const MicroOp &op, uint32_t a,
                        uint32_t result) {
    e.latches.previousA = a;
    e.latches.previousResult = result;
    if (op.target)
      e.latches.setFlags(result, false, false);
    return result;
  }
  static uint32_t immed(Engine &e, const MicroOp &op) {
    uint32_t value =
        e.latches.csrReadPending ? e.latches.csrReadValue : op.value;
    e.latches.csrReadPending = false;
    e.latches.previousResult = value; // an override of the next command [N]
    return value;
  }

  template <Op K>
  static uint32_t apply(Engine &e, const MicroOp &op, uint32_t a, uint32_t b,
                        uint32_t old) {
    switch (K) {
    case Op::AluB:
      return logical(e, a, b);
    case Op::AluNotB:
      return logical(e, a, ~b);
    case Op::AluAnd:
      return logical(e, a, a & b);
    case Op::AluNotAnd:
      return logical(e, a, ~a & b);
    case Op::AluAndNot:
      return logical(e, a, a & ~b);
    case Op::AluOr:
      return logical(e, a, a | b);
    case Op::AluXor:
      return logical(e, a, a ^ b);
    case Op::AluAdd:
      return sum(e, a, b, false);
    case Op::AluAdd16:
      return sum(e, a, b & 0xffff, false);
    case Op::AluAdd8:
      return sum(e, a, b & 0xff, false);
    case Op::AluAddCarry:
      return sum(e, a, b, e.latches.flags.carry);
    case Op::AluSub:
      return difference(e, a, a, b, false);
    case Op::AluBSubA:
      return difference(e, a, b, a, false);
    case Op::AluSubCarry:
      return difference(e, a, a, b, !e.latches.flags.carry);
    case Op::PopCount3:
      return logical(e, a, static_cast<uint32_t>(__builtin_popcount(b)));
    case Op::Ffs:
      return logical(e, a, b ? static_cast<uint32_t>(__builtin_ctz(b)) : 0);
    default:
      return applyShift<K>(e, op, a, b, old);
    }
  }

  /// Operations with the shifter.
  template <Op K>
  static uint32_t applyShift(Engine &e, const MicroOp &op, uint32_t a,
                             uint32_t b, uint32_t old) {
    switch (K) {
    case Op::ShfB:
      return logical(e, a, shifted(e, op, b));
    case Op::ShfNotB:
      return logical(e, a, ~shifted(e, op, b));
    case Op::ShfAnd:
      return logical(e, a, a & shifted(e, op, b));
    case Op::ShfNotAnd:
      return logical(e, a, ~a & shifted(e, op, b));
    case Op::ShfAndNot:
      return logical(e, a, a & ~shifted(e, op, b));
    case Op::ShfOr:
      return logical(e, a, a | shifted(e, op, b));
    case Op::Asr: {
      // The bits shifted in repeat the sign of the previous result.
      uint32_t n = amount(e, op);
      uint32_t fill = e.latches.previousResult >> 31 ? ~(~uint32_t{0} >> n) : 0;
      return logical(e, a, b >> n | fill);
    }
    case Op::DblShf:
      return logical(
          e, a,
          static_cast<uint32_t>((uint64_t{a} << 32 | b) >> amount(e, op)));
    case Op::ByteAlignBe:
      return logical(e, a, e.byteAlign(K, b));
    case Op::ByteAlignLe:
      return logical(e, a, e.byteAlign(K, a));
    case Op::LdField:
      return field(e, op, a,
                   (old & ~op.value) | (shifted(e, op, b) & op.value));
    case Op::LdFieldWClr:
      return field(e, op, a, shifted(e, op, b) & op.value);
    default:
      return applyConstant<K>(e, op, a, b, old);
    }
  }

  /// Constants.
  template <Op K>
  static uint32_t applyConstant(Engine &e, const MicroOp &op, uint32_t a,
                                uint32_t b, uint32_t old) {
    switch (K) {
    case Op::Immed:
      return immed(e, op);
    case Op::ImmedB0:
      return immedField(old, op.value, 0, 0xff);
    case Op::ImmedB1:
      return immedField(old, op.value, 8, 0xff);
    case Op::ImmedB2:
      return immedField(old, op.value, 16, 0xff);
    case Op::ImmedB3:
      return immedField(old, op.value, 24, 0xff);
    case Op::ImmedW0:
      return immedField(old, op.value, 0, 0xffff);
    case Op::ImmedW1:
      return immedField(old, op.value, 16, 0xffff);
    default:
      return applyMultiply<K>(e, a, b, old);
    }
  }

  /// Steps of a multiplication. The one that completes the product computes all
  /// of it; the others, pop_count1 and 2, and nop change nothing.
  template <Op K>
  static uint32_t applyMultiply(Engine &e, uint32_t a, uint32_t b,
                                uint32_t old) {
    switch (K) {
    case Op::MulStart:
      e.latches.factorA = a;
      e.latches.factorB = b;
      return old;
    case Op::Mul24x8Step1:
      e.latches.product =
          uint64_t{e.latches.factorA & 0xffffff} * (e.latches.factorB & 0xff);
      return old;
    case Op::Mul16x16Step2:
      e.latches.product =
          uint64_t{e.latches.factorA & 0xffff} * (e.latches.factorB & 0xffff);
      return old;
    case Op::Mul32x32Step4:
      e.latches.product = uint64_t{e.latches.factorA} * e.latches.factorB;
      return old;
    case Op::Mul24x8Last:
    case Op::Mul16x16Last:
    case Op::Mul32x32Last:
      return logical(e, a, static_cast<uint32_t>(e.latches.product));
    case Op::Mul32x32Last2:
      return logical(e, a, static_cast<uint32_t>(e.latches.product >> 32));
    default:
      return old;
    }
  }
};

struct DataPath::Handlers {
  /// Where a handler finds an operand: at its index and base, after a check of
  /// the engine's state (Any), among the context's registers (Own), at an
  /// absolute index (Fixed), or in the operation itself (Literal).
  enum OperandSource { Any, Own, Fixed, Literal };

  template <OperandSource P>
  static uint32_t &at(uint32_t *regs, uint32_t *own, Microengine *e,
                      uint16_t index, uint8_t base) {
    if constexpr (P == Own)
      return own[index];
    else if constexpr (P == Fixed)
      return regs[index];
    else
      return regs[index | e->bases[base]];
  }
  template <OperandSource P>
  static uint32_t get(uint32_t *regs, uint32_t *own, Microengine *e,
                      uint16_t index, uint8_t base) {
    if constexpr (P == Literal)
      return index - reg::literal;
    else
      return at<P>(regs, own, e, index, base);
  }

  template <Op K, OperandSource A, OperandSource B, OperandSource D>
  static const MicroOp *run(const MicroOp *op, uint32_t *regs, uint32_t *own,
                            Microengine *e) {
    if (A == Any && op->special & e->watched)
      KARAKAL_CHAIN checked<K>(op, regs, own, e);
    uint32_t a = get<A>(regs, own, e, op->a, op->aBase);
    uint32_t b = get<B>(regs, own, e, op->b, op->bBase);
    uint32_t &dest = at<D>(regs, own, e, op->dest, op->destBase);
    dest = Semantics::apply<K>(*e, *op, a, b, dest);
    ++op;
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  /// Checks an operation whose transfer registers or words of local memory need
  /// attention in the engine's state, as Microengine::checkSpecial does. False
  /// if the engine's loop must look at it.
  [[gnu::noinline]] static bool pass(const MicroOp *op, Microengine *e) {
    uint32_t special = op->special & e->watched;
    if (special & ~uint32_t{SpecialTransfer | SpecialLocal})
      return false;
    e->synchronize(op);
    if (special & SpecialTransfer)
      e->checkTransfers(*op);
    if (special & SpecialLocal) {
      e->checkLocalDelay(*op);
      e->commitPending();
      if (e->arbiter.running().watchedLocals)
        return false; // the loop reports words that do not exist
      if (e->localObserver)
        e->reportLocalReads(*op);
    }
    return true;
  }

  /// An operation whose operands need attention.
  template <Op K>
  [[gnu::noinline]] static const MicroOp *
  checked(const MicroOp *op, uint32_t *regs, uint32_t *own, Microengine *e) {
    if (!pass(op, e))
      return op;
    step<K>(*e, *op);
    ++op;
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  /// An operation that reads the engine's time.
  template <Op K>
  static const MicroOp *timed(const MicroOp *op, uint32_t *regs, uint32_t *own,
                              Microengine *e) {
    if (op->special & e->watched & ~SpecialState)
      return op;
    e->synchronize(op);
    step<K>(*e, *op);
    ++op;
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  static const MicroOp *stop(const MicroOp *op, uint32_t *, uint32_t *,
                             Microengine *) {
    return op;
  }

  /// Whether a branch is taken.
  template <Op K> static bool holds(const Microengine &e, const MicroOp &op) {
    auto a = [&] { return e.regs[op.a | e.bases[op.aBase]]; };
    bool n = e.latches.flags.result >> 31;
    bool z = e.latches.flags.result == 0;
    switch (K) {
    case Op::Beq:
      return z;
    case Op::Bne:
      return !z;
    case Op::Bmi:
      return n;
    case Op::Bpl:
      return !n;
    case Op::Bcs:
      return e.latches.flags.carry;
    case Op::Bcc:
      return !e.latches.flags.carry;
    case Op::Bvs:
      return e.latches.flags.overflow;
    case Op::Bvc:
      return !e.latches.flags.overflow;
    case Op::Bge:
      return n == e.latches.flags.overflow;
    case Op::Blt:
      return n != e.latches.flags.overflow;
    case Op::Ble:
      return z || n != e.latches.flags.overflow;
    case Op::Bgt:
      return !z && n == e.latches.flags.overflow;
    case Op::BrBset:
      return a() >> op.parameter & 1;
    case Op::BrBclr:
      return !(a() >> op.parameter & 1);
    case Op::BrByte:
      return (a() >> (8 * op.parameter) & 0xff) == op.value;
    case Op::BrNotByte:
      return (a() >> (8 * op.parameter) & 0xff) != op.value;
    case Op::BrCtx:
      return e.arbiter.current == op.parameter;
    case Op::BrNotCtx:
      return e.arbiter.current != op.parameter;
    default: // br
      return true;
    }
  }

  /// A branch. If its path is legal and its delay slots need no attention, the
  /// chain continues at the target.
  template <Op K, bool HasSlots>
  static const MicroOp *branch(const MicroOp *op, uint32_t *regs, uint32_t *own,
                               Microengine *e) {
    if (op->special & e->watched)
      return op;
    if (!holds<K>(*e, *op)) {
      ++op;
      KARAKAL_CHAIN op->chain(op, regs, own, e);
    }
    if (op->shiftMask & (e->watched | SpecialControl) ||
        e->isFarAhead(op, op->target))
      return op;
    if constexpr (HasSlots)
      for (uint32_t slot = 1; slot <= op->defer(); ++slot)
        DataPath::step(*e, op[slot]);
    op = e->jump(op, op->target);
    KARAKAL_CHAIN op->chain(op, regs, own, e);
  }

  template <Op K> static void step(Microengine &e, const MicroOp &op) {
    uint32_t *regs = e.regs.data();
    uint32_t &dest = at<Any>(regs, nullptr, &e, op.dest, op.destBase);
    dest =
        Semantics::apply<K>(e, op, at<Any>(regs, nullptr, &e, op.a, op.aBase),
                            at<Any>(regs, nullptr, &e, op.b, op.bBase), dest);
  }

  static OperandSource sourceOf(uint16_t index, uint8_t base) {
    return base == BaseContext                                    ? Own
           : index >= reg::literal && index < reg::literal + 256u ? Literal
                                                                  : Fixed;
  }
  template <Op K, OperandSource A, OperandSource B>
  static ChainHandler choose(OperandSource dest) {
    return dest == Own ? run<K, A, B, Own> : run<K, A, B, Fixed>;
  }
  template <Op K, OperandSource A>
  static ChainHandler choose(OperandSource b, OperandSource dest) {
    return b == Own       ? choose<K, A, Own>(dest)
           : b == Literal ? choose<K, A, Literal>(dest)
                          : choose<K, A, Fixed>(dest);
  }
  template <Op K> static ChainHandler choose(const MicroOp &op) {
    if (op.special & (SpecialLocal | SpecialTransfer | SpecialFlags))
      return run<K, Any, Any, Any>;
    OperandSource a = sourceOf(op.a, op.aBase), b = sourceOf(op.b, op.bBase);
    OperandSource dest = sourceOf(op.dest, op.destBase);
    return a == Own       ? choose<K, Own>(b, dest)
           : a == Literal ? choose<K, Literal>(b, dest)
                          : choose<K, Fixed>(b, dest);
  }
};

bool DataPath::has(Op op) {
  switch (op) {
#define KARAKAL_HAS(name) case Op::name:
    KARAKAL_DATA_PATH(KARAKAL_HAS)
#undef KARAKAL_HAS
    return true;
  default:
    return false;
  }
}

void DataPath::step(Microengine &engine, const MicroOp &op) {
  switch (op.op) {
#define KARAKAL_STEP(name)                                                     \
  case Op::name:                                                               \
    return Handlers::step<Op::name>(engine, op);
    KARAKAL_DATA_PATH(KARAKAL_STEP)
#undef KARAKAL_STEP
  default:
    KARAKAL_UNREACHABLE("not an operation of the data path");
  }
}

bool DataPath::isTaken(const Microengine &engine, const MicroOp &op) {
  switch (op.op) {
#define KARAKAL_HOLDS(name)                                                    \
  case Op::name:                                                               \
    return Handlers::holds<Op::name>(engine, op);
    KARAKAL_CONDITIONAL_BRANCHES(KARAKAL_HOLDS)
#undef KARAKAL_HOLDS
  default:
    KARAKAL_UNREACHABLE("not a conditional branch");
  }
}

ChainHandler DataPath::chainOf(const MicroOp &op) {
  if (ChainHandler control = controlOf(op))
    return control;
  // An operation that always needs the engine's loop stops a chain.
  if (op.special & SpecialAlways & ~SpecialState)
    return Handlers::stop;
  switch (op.op) {
  case Op::ByteAlignBe:
    return Handlers::timed<Op::ByteAlignBe>;
  case Op::ByteAlignLe:
    return Handlers::timed<Op::ByteAlignLe>;
  default:
    break;
  }
  if (op.special & SpecialState)
    return Handlers::stop;
  switch (op.op) {
#define KARAKAL_CHOOSE(name)                                                   \
  case Op::name:                                                               \
    return Handlers::choose<Op::name>(op);
    KARAKAL_DATA_PATH(KARAKAL_CHOOSE)
#undef KARAKAL_CHOOSE
#define KARAKAL_BRANCH(name)                                                   \
  case Op::name:                                                               \
    return op.defer() != 0 ? Handlers::branch<Op::name, true>                  \
                           : Handlers::branch<Op::name, false>;
    KARAKAL_CONDITIONAL_BRANCHES(KARAKAL_BRANCH)
    KARAKAL_BRANCH(Br)
#undef KARAKAL_BRANCH
  default:
    return Handlers::stop;
  }
}

} // namespace karakal::sim
