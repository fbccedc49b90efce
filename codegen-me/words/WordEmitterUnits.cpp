// Emits CAM, CRC, hash, next-neighbour ring and exchange instructions.
//
// There is one case per kind of instruction (IxpFormats.td), as in
// WordEmitter.cpp.

#include "codegen-me/target/IxpInstrInfo.h"
#include "codegen-me/words/WordEmitter.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CountOverride.h"
#include "target-ixp/table/InstructionTable.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace karakal::codegen {

using target::Instruction;
using target::Op;

/// Emits a CAM instruction. Bits 6:3 of a look-up's result are the entry, and
/// its cache line begins at byte entry * 64.
void WordEmitter::emitCam(const MachineInstr &instr) {
  static const Op ops[] = {Op::CamLookup,     Op::CamLookup,  Op::CamWrite,
                           Op::CamWriteState, Op::CamReadTag, Op::CamReadState,
                           Op::CamClear};
  unsigned operation = traitsOf(instr.getDesc()).operation;
  Instruction cam;
  cam.op = ops[operation];
  switch (operation) {
  case CamLookup:
  case CamLookupLine:
    cam.dest = operand(instr, 0);
    cam.a = operand(instr, instr.getNumExplicitDefs());
    break;
  case CamWrite:
    cam.b = operand(instr, 0);
    cam.a = operand(instr, 1);
    cam.parameter = uint8_t(literal(instr, 2) & 15);
    break;
  case CamWriteState:
    cam.b = operand(instr, 0);
    cam.parameter = uint8_t(literal(instr, 1) & 15);
    break;
  case CamReadTag:
  case CamReadState:
    cam.dest = operand(instr, 0);
    cam.b = operand(instr, 1);
    break;
  default:
    break;
  }
  cam.loadLm1 = operation == CamLookupLine;
  program.add(cam);
  if (operation != CamLookupLine)
    return;
  constexpr unsigned entryBits = (target::CamEntries - 1) << 3;
  static_assert(target::CacheLineWords * 4 == 8 << 3, "entry << 3 << 3");
  Operand line = operand(instr, 1);
  program.add(
      target::alu(Op::AluAnd, line, operand(instr, 0), target::imm(entryBits)));
  program
      .add(target::aluShf(Op::ShfB, line, target::none(), line, target::shl(3)))
      .isPointerAddress = true;
}

/// Emits a CRC instruction. The remainder is a CSR that all contexts share and
/// that takes several words to access.
void WordEmitter::emitCrc(const MachineInstr &instr) {
  auto wait = [&](unsigned words) {
    for (; words; --words)
      program.add(target::nop()).isGlued = true;
  };
  switch (traitsOf(instr.getDesc()).operation) {
  case 0:
    program.add(target::csrWrite(target::Csr_CRC_REMAINDER, operand(instr, 0)));
    wait(target::OtherCsrSlots);
    return;
  case 1: {
    unsigned parameters = literal(instr, 0);
    Instruction crc;
    crc.op = Op::Crc;
    crc.b = operand(instr, 1);
    crc.crcType = static_cast<target::CrcType>(parameters >> 5 & 7);
    crc.crcBitSwap = parameters >> 4 & 1;
    crc.crcLittleEndian = parameters >> 3 & 1;
    crc.crcBytes = static_cast<target::CrcBytes>(parameters & 7);
    program.add(crc);
    wait(target::CrcToCrcSlots);
    return;
  }
  default:
    wait(target::CrcToCsrSlots - target::CrcToCrcSlots);
    csrRead(operand(instr, 0), target::Csr_CRC_REMAINDER);
  }
}

/// Emits byte_align. The index is a CSR that all contexts share, so the words
/// are glued.
void WordEmitter::emitByteAlign(const MachineInstr &instr) {
  Op op = traitsOf(instr.getDesc()).operation == 0 ? Op::ByteAlignBe
                                                   : Op::ByteAlignLe;
  unsigned results = instr.getNumExplicitDefs();
  program.add(target::csrWrite(target::Csr_BYTE_INDEX, operand(instr, results)))
      .isGlued = true;
  for (unsigned i = 0; i < target::ByteIndexSlots; ++i)
    program.add(target::nop()).isGlued = true;
  for (unsigned i = 0; i <= results; ++i) {
    Instruction align;
    align.op = op;
    align.dest = i ? operand(instr, i - 1) : target::none();
    Operand word = operand(instr, results + 1 + i);
    (op == Op::ByteAlignLe ? align.a : align.b) = word;
    program.add(align).isGlued = i < results;
  }
}

void WordEmitter::emitMasked(const MachineInstr &instr) {
  const TargetRegisterInfo &tri =
      *instr.getMF()->getSubtarget().getRegisterInfo();
  const MachineOperand &over = instr.getOperand(4);
  // The low twelve bits of the constant are 0, so one word loads it.
  if (over.isImm())
    program.add(target::immed(target::none(), over.getImm() >> 8, 8));
  else
    program.add(target::move(target::none(), operand(instr, 4)));
  program.items.back().isGlued = true;
  MCRegister first = tri.getSubReg(instr.getOperand(3).getReg(), Ixp::sub0);
  program.add(target::withIndirect(
      target::command(static_cast<Op>(literal(instr, 0)),
                      target::dXfer(tri.getEncodingValue(first)),
                      operand(instr, 1), operand(instr, 2), 1)));
}

/// Emits a read of WideReadWords words: the word before it overrides the count.
void WordEmitter::emitWideRead(const Instruction &command) {
  const uint32_t count = target::OverridesCount |
                         (WideReadWords - 1) << target::CountOverrideShift;
  program.add(target::immed(target::none(), count >> 16, 16)).isGlued = true;
  program.add(target::withIndirect(command));
}

bool WordEmitter::emitUnit(const MachineInstr &instr) {
  switch (traitsOf(instr.getDesc()).kind) {
  case Kind::Exchange: {
    Op op = static_cast<Op>(literal(instr, 0));
    program.add(target::command(op, target::sXfer(0), operand(instr, 1),
                                operand(instr, 2), op == Op::SramPut ? 1 : 0));
    return true;
  }
  case Kind::Neighbour: {
    Operand ring = target::neighbourIndex(target::PostModify::Increment);
    bool isPut = traitsOf(instr.getDesc()).operation == 1;
    program.add(isPut ? target::move(ring, operand(instr, 0))
                      : target::move(operand(instr, 0), ring));
    return true;
  }
  case Kind::Hash:
    program.add(target::command(static_cast<Op>(literal(instr, 0)),
                                target::sXfer(0), target::none(),
                                target::none(), 1));
    return true;
  case Kind::WriteMasked:
    emitMasked(instr);
    return true;
  case Kind::Cam:
    emitCam(instr);
    return true;
  case Kind::Crc:
    emitCrc(instr);
    return true;
  case Kind::ByteAlign:
    emitByteAlign(instr);
    return true;
  default:
    return false;
  }
}

} // namespace karakal::codegen
