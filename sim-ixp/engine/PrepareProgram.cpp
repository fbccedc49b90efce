// Prepares instructions for execution.

#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/engine/DataPath.h"
#include "support/Error.h"
#include "target-ixp/table/CommandCodes.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

using target::Instruction;
using target::Op;
using target::Operand;
using Kind = target::Operand::Kind;

/// An operand as an index and a base of the register file.
struct RegisterIndex {
  uint16_t index;
  uint8_t base;
  uint16_t special;
};

RegisterIndex registerIndexOf(const Operand &operand, bool isDestination) {
  uint16_t n = operand.value;
  auto at = [](unsigned index, uint8_t base, uint16_t special = 0) {
    return RegisterIndex{static_cast<uint16_t>(index), base, special};
  };
  // Local memory without post-modification is a plain index.
  auto local = [&](uint8_t base) {
    if (operand.post != target::PostModify::None)
      return at(reg::sink, BaseAbsolute, SpecialIndexed);
    return at(reg::localMemory | n, base, SpecialLocal);
  };
  switch (operand.kind) {
  case Kind::None:
    return at(isDestination ? reg::sink : reg::literal, BaseAbsolute);
  case Kind::GprA:
    return at(reg::gprA + n, BaseContext);
  case Kind::GprB:
    return at(reg::gprB + n, BaseContext);
  case Kind::AbsoluteA:
    return at(reg::gprA + n, BaseAbsolute);
  case Kind::AbsoluteB:
    return at(reg::gprB + n, BaseAbsolute);
  case Kind::SXfer:
    return at((isDestination ? reg::sOut : reg::sIn) + n, BaseContext,
              SpecialTransfer);
  case Kind::DXfer:
    return at((isDestination ? reg::dOut : reg::dIn) + n, BaseContext,
              SpecialTransfer);
  case Kind::Immediate:
    return at(reg::literal + (n & 255), BaseAbsolute);
  case Kind::Neighbour:
    if (isDestination)
      return at(reg::sink, BaseAbsolute, SpecialIndexed | SpecialShared);
    // Local because a word that the engine wrote to itself may be delayed.
    return at(reg::neighbour + n, BaseContext, SpecialShared | SpecialLocal);
  case Kind::NeighbourIndex:
    return at(reg::sink, BaseAbsolute, SpecialIndexed | SpecialShared);
  case Kind::SXferIndex:
  case Kind::DXferIndex:
    return at(reg::sink, BaseAbsolute, SpecialIndexed);
  case Kind::LocalMemory0:
    return local(BaseLocal0);
  case Kind::LocalMemory1:
    return local(BaseLocal1);
  }
  KARAKAL_UNREACHABLE("unknown kind of operand");
}

void prepareShift(const target::Shift &shift, MicroOp &op) {
  uint32_t n = shift.amount & 31;
  switch (shift.kind) {
  case target::Shift::Kind::Left:
    op.rotate = static_cast<uint8_t>((32 - n) & 31);
    op.shiftMask = ~uint32_t{0} << n;
    break;
  case target::Shift::Kind::Right:
    op.rotate = static_cast<uint8_t>(n);
    op.shiftMask = ~uint32_t{0} >> n;
    break;
  case target::Shift::Kind::RotateRight:
    op.rotate = static_cast<uint8_t>(n);
    break;
  case target::Shift::Kind::LeftIndirect:
    op.parameter = ShiftLeftIndirect;
    break;
  case target::Shift::Kind::RightIndirect:
    op.parameter = ShiftRightIndirect;
    break;
  case target::Shift::Kind::None:
    break;
  }
}

uint32_t expandByteMask(uint32_t mask) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i)
    if (mask >> i & 1)
      result |= 0xffu << (8 * i);
  return result;
}

uint32_t valueOf(const Instruction &i) {
  switch (i.op) {
  case Op::Immed: {
    uint32_t value =
        uint32_t{i.immediate}
        << (i.shift.kind == target::Shift::Kind::None ? 0 : i.shift.amount);
    return i.invert ? ~value : value;
  }
  case Op::LdField:
  case Op::LdFieldWClr:
    return expandByteMask(i.byteMask);
  case Op::CtxArb:
    return i.signalMask | (i.any ? ArbitrationAny : 0) |
           (i.keepMask ? ArbitrationKeepMask : 0) |
           (i.breakpoint ? ArbitrationBreakpoint : 0) |
           (i.hasTarget ? ArbitrationTarget : 0);
  case Op::CsrRead:
  case Op::CsrWrite:
    return i.csr;
  default:
    return i.immediate;
  }
}

/// Local CSRs that only the engine's own instructions change or see.
bool isPrivateCsr(unsigned csr) {
  switch (csr) {
  case target::Csr_ACTIVE_LM_ADDR_0:
  case target::Csr_ACTIVE_LM_ADDR_1:
  case target::Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX:
  case target::Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX:
  case target::Csr_BYTE_INDEX:
  case target::Csr_T_INDEX:
  case target::Csr_T_INDEX_BYTE_INDEX:
  case target::Csr_CC_ENABLE:
  case target::Csr_CRC_REMAINDER:
  case target::Csr_TIMESTAMP_LOW:
  case target::Csr_TIMESTAMP_HIGH:
  case target::Csr_PROFILE_COUNT:
  case target::Csr_PSEUDO_RANDOM_NUMBER:
  case target::Csr_ACTIVE_CTX_STS:
    return true;
  default:
    return false;
  }
}

uint16_t specialOf(const Instruction &i) {
  switch (i.op) {
  case Op::CtxArb:
    // A context that waits for no signal takes none. Signals of other contexts
    // matter only for the later choice of the next context.
    return !i.keepMask && i.signalMask & 1 ? SpecialState
                                           : SpecialState | SpecialShared;
  case Op::BrSignal:
  case Op::BrNotSignal:
  case Op::BrInpState:
  case Op::BrNotInpState:
    return SpecialShared;
  case Op::CsrRead:
  case Op::CsrWrite:
    return SpecialState | (isPrivateCsr(i.csr) ? 0 : SpecialShared);
  case Op::ByteAlignBe:
  case Op::ByteAlignLe:
  case Op::CamLookup:
    return SpecialState;
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
  case Op::AluAddCarry:
  case Op::AluSubCarry:
    return SpecialFlags;
  default:
    return target::row(i.op).isCommand() ? SpecialShared | SpecialCommand : 0;
  }
}

/// Whether an operand names a register beyond the 16 of a kind that a context
/// has in eight-context mode. In four-context mode the even contexts have those
/// of the odd ones, too.
bool isBeyondContext(const Operand &operand) {
  switch (operand.kind) {
  case Kind::GprA:
  case Kind::GprB:
  case Kind::SXfer:
  case Kind::DXfer:
  case Kind::Neighbour:
    return operand.value >= target::GprPerBankPerContext;
  default:
    return false;
  }
}

/// The A operand that the engine fetches, although the instruction may not name
/// it: "--" is encoded as a0 or, if b is on the A port, as the literal 0. An
/// indirect shift that follows takes its count from it.
Operand fetchedA(const Instruction &i) {
  target::Format format = target::row(i.op).format;
  bool isUnary =
      format == target::Format::AluUnary || format == target::Format::ShfUnary;
  return isUnary && i.a.isNone() && !i.b.isBankA() ? target::gprA(0) : i.a;
}

MicroOp prepare(const Instruction &i) {
  MicroOp op;
  op.op = i.op;
  op.special = specialOf(i);
  if (isBeyondContext(i.a) || isBeyondContext(i.b) || isBeyondContext(i.dest) ||
      isBeyondContext(i.xfer))
    op.special |= SpecialFourContexts;
  RegisterIndex a = registerIndexOf(fetchedA(i), false);
  RegisterIndex b = registerIndexOf(i.b, false);
  RegisterIndex dest = registerIndexOf(i.dest, true);
  op.special |= a.special | b.special | dest.special;
  op.a = a.index;
  op.aBase = a.base;
  op.b = b.index;
  op.bBase = b.base;
  op.dest = dest.index;
  op.destBase = dest.base;
  op.target = i.target;
  op.parameter = i.parameter;
  op.value = valueOf(i);
  if (i.op == Op::LdField || i.op == Op::LdFieldWClr)
    op.target = i.loadCc;
  if (i.op != Op::Immed)
    prepareShift(i.shift, op);
  const target::InstructionRow &row = target::row(i.op);
  if (row.slots != 0 && (i.ctxSwap || !row.isCommand()))
    op.rotate = static_cast<uint8_t>(row.slots | uint32_t{i.defer} << 4);
  return op;
}

/// The low address bits that a command's memory ignores. Addresses of rings,
/// queues and registers mean something else.
uint8_t ignoredBits(Op op) {
  if (target::wordAccess(op) != target::WordAccess::None)
    return 3;
  return op == Op::DramRead || op == Op::DramWrite ? 7 : 0;
}

CommandShape shapeOf(const Instruction &i, size_t pc) {
  const target::InstructionRow &row = target::row(i.op);
  CommandShape shape;
  CommandHead &head = shape.head;
  head.op = i.op;
  head.count = std::max<uint8_t>(i.count, 1);
  head.xfer = static_cast<uint8_t>(i.xfer.value);
  head.kind = i.xfer.isDXfer() ? TransferKind::D : TransferKind::S;
  head.signal = i.signal;
  head.isIndirect = i.indirectRef;
  head.pc = static_cast<uint16_t>(pc);
  shape.hasSwap = i.ctxSwap;
  shape.unitBytes = row.unitBytes;
  shape.ignoredBits = ignoredBits(i.op);
  shape.address = row.address;
  shape.isPlain = row.address == target::AddressForm::Sum && !i.indirectRef;
  shape.csr = i.csr;
  shape.immediate = i.immediate;
  uint64_t transfers =
      transferMask(head.kind, head.xfer, head.count * shape.unitBytes / 4u, 16);
  if (target::pushesResult(i.op))
    shape.fills = transfers;
  if (target::pullsOperands(i.op))
    shape.takes = transfers;
  return shape;
}

bool changesCam(Op op) {
  return op == Op::CamClear || op == Op::CamLookup || op == Op::CamWrite ||
         op == Op::CamWriteState;
}

/// Marks conditional branches, which have three slots, before a CAM
/// instruction.
void markBranchesBeforeCam(MicroProgram &program) {
  for (size_t i = 0; i + 1 < program.ops.size(); ++i) {
    const target::InstructionRow &row = target::row(program.ops[i].op);
    if (row.isBranch() && row.slots == 3 && program.ops[i].defer() == 0 &&
        changesCam(program.ops[i + 1].op))
      program.ops[i].special |= SpecialBeforeCam;
  }
}

/// Whether a chain can execute a delay slot although it is no operation of the
/// data path: it writes a local CSR or is a command.
bool isSlotWrite(const MicroOp &slot) {
  return slot.op == Op::CsrWrite
             ? slot.value != target::Csr_CC_ENABLE
             : slot.special & SpecialCommand && slot.slots() == 0;
}

/// The flags of a delay slot of `op`, a swap.
uint32_t specialOfSlot(const MicroOp &op, const MicroOp &slot) {
  if (op.op != Op::CtxArb || !isSlotWrite(slot))
    return slot.special;
  return (slot.special &
          ~(SpecialShared | SpecialState | SpecialControl | SpecialCommand)) |
         SpecialSlotWrite;
}

/// Collects the flags of the delay slots of each branch and swap.
void markDelaySlots(MicroProgram &program) {
  std::vector<MicroOp> &ops = program.ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    MicroOp &op = ops[i];
    bool isSwap =
        op.op == Op::CtxArb || (op.special & SpecialCommand && op.slots() != 0);
    if (!isSwap && !target::row(op.op).isBranch())
      continue;
    bool isLegal = op.target < ops.size() && i + op.defer() < ops.size() &&
                   !(op.special & SpecialBeforeCam);
    op.shiftMask = isLegal ? 0 : SpecialControl;
    for (uint32_t slot = 1; isLegal && slot <= op.defer(); ++slot)
      op.shiftMask |=
          isSwap ? specialOfSlot(op, ops[i + slot]) : ops[i + slot].special;
  }
}

/// Words that may be fetched after the last instruction.
constexpr uint32_t tailWords = 8;

void prepareCommands(MicroProgram &program) {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    if (!(program.ops[i].special & SpecialCommand))
      continue;
    program.ops[i].value = static_cast<uint32_t>(program.commands.size());
    program.commands.push_back(shapeOf(program.instructions[i], i));
  }
}

void complete(MicroProgram &program) {
  prepareCommands(program);
  MicroOp illegal;
  illegal.special = SpecialIllegal | SpecialShared;
  for (uint32_t i = 0; i < tailWords; ++i) {
    program.instructions.push_back(target::nop());
    program.ops.push_back(illegal);
    program.isLegal.push_back(false);
  }
  markBranchesBeforeCam(program);
  for (MicroOp &op : program.ops)
    if (!DataPath::has(op.op))
      op.special |= SpecialControl;
  markDelaySlots(program);
  for (MicroOp &op : program.ops)
    op.chain = DataPath::chainOf(op);
  KARAKAL_ASSERT(program.instructions.size() == program.ops.size() &&
                     program.isLegal.size() == program.ops.size(),
                 "every word has an instruction and an operation");
}

} // namespace

void setBreak(MicroProgram &program, uint32_t word) {
  KARAKAL_ASSERT(word + tailWords < program.ops.size(),
                 "a breakpoint lies outside the program");
  MicroOp &op = program.ops[word];
  op.special |= SpecialBreak | SpecialShared;
  op.chain = DataPath::chainOf(op);
  markDelaySlots(program);
}

MicroProgram prepareProgram(const std::vector<Instruction> &instructions) {
  MicroProgram program;
  for (const Instruction &instruction : instructions) {
    program.instructions.push_back(instruction);
    program.ops.push_back(prepare(instruction));
    program.isLegal.push_back(true);
  }
  complete(program);
  return program;
}

MicroProgram prepareProgram(const std::vector<uint64_t> &words) {
  MicroProgram program;
  for (uint64_t word : words) {
    Result<Instruction> instruction = target::decode(word);
    MicroOp op;
    if (instruction)
      op = prepare(*instruction);
    else
      op.special = SpecialIllegal | SpecialShared;
    program.instructions.push_back(instruction ? *instruction : target::nop());
    program.ops.push_back(op);
    program.isLegal.push_back(static_cast<bool>(instruction));
  }
  complete(program);
  return program;
}

} // namespace karakal::sim
