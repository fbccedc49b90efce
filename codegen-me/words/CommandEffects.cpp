// Effects of a command in flight.

#include "codegen-me/words/CommandEffects.h"

#include "codegen-me/target/Ixp.h"
#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::codegen {

using target::Format;
using target::Instruction;
using target::Op;
using target::Operand;
using target::XferUse;

namespace {

/// Input states below this one are the neighbour ring's.
constexpr unsigned NeighbourStates = 2;

/// The unit of a command. Operations of one unit are adjacent in the table.
char unitOf(Op op) {
  auto within = [&](Op first, Op last) { return op >= first && op <= last; };
  if (within(Op::SramRead, Op::SramRdQdescHead))
    return 's';
  if (within(Op::ScratchRead, Op::ScratchPut))
    return 'c';
  if (op == Op::DramRead || op == Op::DramWrite)
    return 'd';
  return 0;
}

Order orderOf(Op op) {
  switch (op) {
  case Op::SramRead:
  case Op::ScratchRead:
  case Op::DramRead:
    return Order::Read;
  case Op::SramWrite:
  case Op::ScratchWrite:
  case Op::DramWrite:
    return Order::Write;
  case Op::SramSet:
  case Op::SramClr:
  case Op::SramAdd:
  case Op::SramIncr:
  case Op::SramDecr:
  case Op::ScratchSet:
  case Op::ScratchClr:
  case Op::ScratchAdd:
  case Op::ScratchSub:
  case Op::ScratchIncr:
  case Op::ScratchDecr:
    return Order::Update;
  case Op::SramSwap:
  case Op::SramTestSet:
  case Op::SramTestClr:
  case Op::SramTestAdd:
  case Op::SramTestIncr:
  case Op::SramTestDecr:
  case Op::ScratchSwap:
  case Op::ScratchTestSet:
  case Op::ScratchTestClr:
  case Op::ScratchTestAdd:
  case Op::ScratchTestSub:
  case Op::ScratchTestIncr:
  case Op::ScratchTestDecr:
    return Order::Atomic;
  case Op::SramGet:
  case Op::SramDequeue:
  case Op::ScratchGet:
    return Order::Take;
  case Op::SramPut:
  case Op::SramJournal:
  case Op::SramFastJournal:
  case Op::SramEnqueue:
  case Op::SramEnqueueTail:
  case Op::ScratchPut:
    return Order::Publish;
  case Op::Hash48:
  case Op::Hash64:
  case Op::Hash128:
    return Order::Free;
  default:
    return Order::Strict;
  }
}

constexpr XferSet All = ~XferSet(0);

XferSet xferBit(const Operand &o) {
  switch (o.kind) {
  case Operand::Kind::SXfer:
    return 1u << (o.value & 15);
  case Operand::Kind::DXfer:
    return 1u << (16 + (o.value & 15));
  case Operand::Kind::SXferIndex:
  case Operand::Kind::DXferIndex:
    return All;
  default:
    return 0;
  }
}

XferSet tupleOf(const Instruction &i, unsigned words) {
  XferSet set = 0;
  for (unsigned k = 0; k < words; ++k) {
    Operand reg = i.xfer;
    reg.value = uint16_t(reg.value + k);
    set |= xferBit(reg);
  }
  return set;
}

bool writesMemory(Order order) {
  return order == Order::Write || order == Order::Update ||
         order == Order::Atomic || order == Order::Publish;
}

/// Whether two accesses may overlap. Only literal offsets from one base prove
/// that they do not.
bool mayOverlap(const Instruction &x, const Instruction &y, bool sameBase) {
  if (!sameBase || !x.b.isImmediate() || !y.b.isImmediate())
    return true;
  return x.b.value < y.b.value + effectOf(y).bytes &&
         y.b.value < x.b.value + effectOf(x).bytes;
}

} // namespace

CommandEffect effectOf(const Instruction &command) {
  const target::InstructionRow &row = target::row(command.op);
  KARAKAL_ASSERT(row.isCommand(), "only commands have effects of their own");
  CommandEffect effect;
  effect.order = orderOf(command.op);
  effect.unit = unitOf(command.op);
  unsigned words = std::max<unsigned>(command.count, 1) * row.unitBytes / 4;
  if (command.op == Op::SramRead && command.indirectRef)
    words = WideReadWords; // WordEmitter::emitWideRead
  effect.bytes = words * 4;
  if (row.xfer == XferUse::In || row.xfer == XferUse::InOut)
    effect.fills = tupleOf(command, words);
  if (row.xfer == XferUse::Out || row.xfer == XferUse::InOut)
    effect.pulls = tupleOf(command, words);
  return effect;
}

bool commandTouches(const Instruction &i, const Operand &reg, bool out) {
  if (!target::row(i.op).isCommand())
    return false;
  CommandEffect effect = effectOf(i);
  return (out ? effect.pulls : effect.fills) & xferBit(reg);
}

XferSet xfersRead(const Instruction &i) { return xferBit(i.a) | xferBit(i.b); }

XferSet xfersWritten(const Instruction &i) { return xferBit(i.dest); }

bool usesSharedState(const Item &item) {
  const Instruction &i = item.instruction;
  switch (target::row(i.op).format) {
  case Format::CamLookup:
  case Format::CamWrite:
  case Format::CamWriteState:
  case Format::Crc:
  case Format::ByteAlignA:
  case Format::ByteAlignB:
    return true;
  case Format::CsrWrite: // each context has its own pointers
    return i.csr != target::Csr_ACTIVE_LM_ADDR_0 &&
           i.csr != target::Csr_ACTIVE_LM_ADDR_1;
  case Format::CsrRead:
    return i.csr != target::Csr_ACTIVE_CTX_STS;
  default:
    break;
  }
  // No other context may run between the test of the next-neighbour ring and
  // its use.
  if ((i.op == Op::BrInpState || i.op == Op::BrNotInpState) &&
      i.parameter < NeighbourStates)
    return true;
  if (i.op == Op::CamClear || i.op == Op::CamReadTag ||
      i.op == Op::CamReadState)
    return true;
  for (const Operand *o : {&i.dest, &i.a, &i.b}) {
    if (o->kind == Operand::Kind::LocalMemory1 && !item.window)
      return true;
    if (o->kind == Operand::Kind::Neighbour ||
        o->kind == Operand::Kind::NeighbourIndex)
      return true;
  }
  return false;
}

bool mustPrecede(const Instruction &earlier, const Instruction &later,
                 bool sameBase) {
  CommandEffect e = effectOf(earlier), l = effectOf(later);
  if (e.order == Order::Free || l.order == Order::Free)
    return false;
  if (e.order == Order::Strict || e.order == Order::Atomic ||
      e.order == Order::Take)
    return true;
  switch (l.order) {
  case Order::Read:
    return e.unit == l.unit && e.order != Order::Read &&
           e.order != Order::Publish && mayOverlap(earlier, later, sameBase);
  case Order::Write:
    return e.unit == l.unit && e.order != Order::Publish &&
           mayOverlap(earlier, later, sameBase);
  case Order::Update:
  case Order::Atomic:
    return e.unit == l.unit || writesMemory(e.order);
  case Order::Take:
    return false;
  default:
    return true;
  }
}

} // namespace karakal::codegen
