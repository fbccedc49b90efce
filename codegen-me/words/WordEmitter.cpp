// Emits machine instructions as words.
//
// There is one case per kind of instruction (IxpFormats.td). Commands have no
// signals and no waits yet; WaitPlacement.cpp adds them.

#include "codegen-me/words/WordEmitter.h"

#include "codegen-me/prepare/LoopBounds.h"
#include "codegen-me/prepare/PathMarks.h"

#include "codegen-me/target/Ixp.h"
#include "codegen-me/target/IxpRegisterInfo.h"

#include "target-ixp/chip/RuntimeFunctions.h"
#include "target-ixp/table/InstructionTable.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace karakal::codegen {

using target::Op;
using target::Shift;

namespace {

const Op aluOps[] = {Op::AluAdd, Op::AluSub,    Op::AluAnd,   Op::AluOr,
                     Op::AluXor, Op::AluAndNot, Op::AluAdd16, Op::AluAdd8};
const Op shiftOps[] = {Op::ShfB,      Op::ShfNotB,   Op::ShfAnd,
                       Op::ShfNotAnd, Op::ShfAndNot, Op::ShfOr};
const Op branchOps[] = {Op::Beq, Op::Bne, Op::Blt, Op::Bge,
                        Op::Ble, Op::Bgt, Op::Bcc, Op::Bcs};

Shift shiftOf(unsigned kind, unsigned amount) {
  switch (kind) {
  case ShiftRight:
    return target::shr(amount);
  case ShiftLeft:
    return target::shl(amount);
  case RotateRight:
    return target::rotr(amount);
  default:
    return {};
  }
}

target::Operand registerOperand(MCRegister reg, const TargetRegisterInfo &tri) {
  unsigned number = tri.getEncodingValue(reg);
  if (Ixp::GPRARegClass.contains(reg))
    return target::gprA(number);
  if (Ixp::GPRBRegClass.contains(reg))
    return target::gprB(number);
  if (Ixp::SINRegClass.contains(reg) || Ixp::SOUTRegClass.contains(reg))
    return target::sXfer(number);
  KARAKAL_ASSERT(Ixp::DINRegClass.contains(reg) ||
                     Ixp::DOUTRegClass.contains(reg),
                 "an operand is one register, not a tuple");
  return target::dXfer(number);
}

} // namespace

//===-- Operands ----------------------------------------------------------===//

target::Operand WordEmitter::operand(const MachineInstr &instr,
                                     unsigned index) const {
  const MachineOperand &mo = instr.getOperand(index);
  if (mo.isImm())
    return target::imm(mo.getImm() & 0xff);
  return registerOperand(mo.getReg(),
                         *instr.getMF()->getSubtarget().getRegisterInfo());
}

unsigned WordEmitter::literal(const MachineInstr &instr, unsigned index) const {
  KARAKAL_ASSERT(instr.getOperand(index).isImm(), "the operand is a literal");
  return unsigned(instr.getOperand(index).getImm());
}

unsigned WordEmitter::labelOf(const MachineBasicBlock *block) {
  unsigned &label = labels[block];
  if (!label)
    label = program.newLabel();
  return label;
}

unsigned WordEmitter::labelOf(const Function *function) {
  unsigned &label = labels[function];
  if (!label)
    label = program.newLabel();
  return label;
}

void WordEmitter::move(Operand to, Operand from) {
  if (to != from || !to.isGpr())
    program.add(target::move(to, from));
}

void WordEmitter::loadImmediate(Operand to, uint32_t value) {
  for (bool invert : {false, true}) {
    uint32_t v = invert ? ~value : value;
    for (unsigned shift : {0u, 8u, 16u})
      if ((v >> shift) <= 0xffff && (v >> shift) << shift == v) {
        program.add(target::immed(to, v >> shift, shift, invert));
        return;
      }
  }
  program.add(target::immed(to, value & 0xffff));
  program.add(target::immedWord(1, to, value >> 16));
}

void WordEmitter::branchTo(Op op, unsigned label, float taken) {
  program.add(target::branch(op, 0), label).taken = taken;
}

float WordEmitter::flowTo(const MachineBasicBlock *block) const {
  double share = 0;
  for (auto at = currentBlock->succ_begin(); at != currentBlock->succ_end();
       ++at)
    if (*at == block) {
      BranchProbability part = currentBlock->getSuccProbability(at);
      share += double(part.getNumerator()) / part.getDenominator();
    }
  return float(share) * frequencies.lookup(currentBlock);
}

void WordEmitter::branchOver(Op branch, unsigned label) {
  program.currentFrequency /= 2;
  branchTo(branch, label, program.currentFrequency);
  program.items.back().frequency *= 2;
}

void WordEmitter::markLoop(const MachineInstr &probe) {
  target::LoopHead &loop = program.bind(program.newLabel()).loop;
  loop.depth = literal(probe, LoopProbeDepth);
  loop.iterationsMax = literal(probe, LoopProbeIterations);
}

void WordEmitter::markPaths(const MachineBasicBlock &block) {
  std::vector<target::PathMark> marks;
  for (const MachineInstr &instr : block)
    if (isPathMark(instr))
      marks.push_back(
          {static_cast<target::PathMark::Kind>(literal(instr, PathMarkKind)),
           literal(instr, PathMarkNumber)});
  if (program.marks.back() != marks)
    program.marks.push_back(marks);
}

void WordEmitter::compare(Operand a, Operand b) {
  program.add(target::alu(Op::AluSub, target::none(), a, b)).isGlued = true;
}

//===-- Arithmetic --------------------------------------------------------===//

void WordEmitter::emitMultiply(const MachineInstr &instr, bool isFull) {
  static const std::initializer_list<Op> steps[] = {
      {Op::MulStart, Op::Mul32x32Step1, Op::Mul32x32Step2, Op::Mul32x32Step3,
       Op::Mul32x32Step4},
      {Op::MulStart, Op::Mul16x16Step1, Op::Mul16x16Step2},
      {Op::MulStart, Op::Mul24x8Step1}};
  static const Op lasts[] = {Op::Mul32x32Last, Op::Mul16x16Last,
                             Op::Mul24x8Last};
  unsigned first = isFull ? 2 : 1;
  unsigned size = traitsOf(instr.getDesc()).operation;
  Operand a = operand(instr, first), b = operand(instr, first + 1);
  for (Op op : steps[size])
    program.add(target::mulStep(op, a, b)).isGlued = true;
  program.add(target::mulLast(lasts[size], operand(instr, 0)));
  if (isFull) {
    program.items.back().isGlued = true;
    program.add(target::mulLast(Op::Mul32x32Last2, operand(instr, 1)));
  }
}

void WordEmitter::emitWide(const MachineInstr &instr) {
  bool isAdd = traitsOf(instr.getDesc()).operation == 0;
  program
      .add(target::alu(isAdd ? Op::AluAdd : Op::AluSub, operand(instr, 0),
                       operand(instr, 2), operand(instr, 4)))
      .isGlued = true;
  program.add(target::alu(isAdd ? Op::AluAddCarry : Op::AluSubCarry,
                          operand(instr, 1), operand(instr, 3),
                          operand(instr, 5)));
}

void WordEmitter::emitOnesAdd(const MachineInstr &instr) {
  Operand sum = operand(instr, 0);
  program
      .add(target::alu(Op::AluAdd, sum, operand(instr, 1), operand(instr, 2)))
      .isGlued = true;
  program.add(target::alu(Op::AluAddCarry, sum, sum, target::imm(0)));
}

bool WordEmitter::emitArithmetic(const MachineInstr &instr) {
  Traits traits = traitsOf(instr.getDesc());
  switch (traits.kind) {
  case Kind::Alu:
    program.add(target::alu(aluOps[traits.operation], operand(instr, 0),
                            operand(instr, 1), operand(instr, 2)));
    return true;
  case Kind::AluUnary:
    program.add(target::alu(Op::AluNotB, operand(instr, 0), target::none(),
                            operand(instr, 1)));
    return true;
  case Kind::Move:
    move(operand(instr, 0), operand(instr, 1));
    return true;
  case Kind::Immediate:
    loadImmediate(operand(instr, 0), uint32_t(literal(instr, 1)));
    return true;
  case Kind::Mul:
    emitMultiply(instr, false);
    return true;
  case Kind::MulFull:
    emitMultiply(instr, true);
    return true;
  case Kind::Pop: {
    Operand b = operand(instr, 1);
    for (Op op : {Op::PopCount1, Op::PopCount2})
      program.add(target::alu(op, target::none(), target::none(), b)).isGlued =
          true;
    program.add(
        target::alu(Op::PopCount3, operand(instr, 0), target::none(), b));
    return true;
  }
  case Kind::Ffs:
    program.add(target::ffs(operand(instr, 0), operand(instr, 1)));
    return true;
  case Kind::Wide:
    emitWide(instr);
    return true;
  case Kind::OnesAdd:
    emitOnesAdd(instr);
    return true;
  default:
    return false;
  }
}

bool WordEmitter::emitShift(const MachineInstr &instr) {
  Traits traits = traitsOf(instr.getDesc());
  auto shift = [&](unsigned index) {
    return shiftOf(literal(instr, index), literal(instr, index + 1));
  };
  // Emits the word before an indirect shift. Its a operand is the amount, and
  // its result has the sign of `b`.
  auto amount = [&](unsigned index, Operand b) {
    program
        .add(target::alu(Op::AluOr, target::none(), operand(instr, index), b))
        .isGlued = true;
  };
  switch (traits.kind) {
  case Kind::Shift:
    program.add(target::aluShf(shiftOps[traits.operation], operand(instr, 0),
                               operand(instr, 1), operand(instr, 2), shift(3)));
    return true;
  case Kind::ShiftUnary:
    program.add(target::aluShf(shiftOps[traits.operation], operand(instr, 0),
                               target::none(), operand(instr, 1), shift(2)));
    return true;
  case Kind::ShiftBy:
    amount(2, target::imm(0));
    program.add(target::aluShf(
        Op::ShfB, operand(instr, 0), target::none(), operand(instr, 1),
        traits.operation == ShiftLeft ? target::shlIndirect()
                                      : target::shrIndirect()));
    return true;
  case Kind::Asr:
    program.add(target::move(target::none(), operand(instr, 1))).isGlued = true;
    program.add(target::asr(operand(instr, 0), operand(instr, 1),
                            target::shr(literal(instr, 2))));
    return true;
  case Kind::AsrBy:
    amount(2, operand(instr, 1));
    program.add(target::asr(operand(instr, 0), operand(instr, 1),
                            target::shrIndirect()));
    return true;
  case Kind::Funnel:
    program.add(target::dblShf(operand(instr, 0), operand(instr, 1),
                               operand(instr, 2),
                               target::shr(literal(instr, 3))));
    return true;
  case Kind::FunnelBy:
    amount(3, target::imm(0));
    program.add(target::dblShf(operand(instr, 0), operand(instr, 1),
                               operand(instr, 2), target::shrIndirect()));
    return true;
  case Kind::Insert:
    program.add(target::ldField(operand(instr, 0), literal(instr, 3),
                                operand(instr, 2), shift(4)));
    return true;
  case Kind::Extract:
    program.add(target::ldField(operand(instr, 0), literal(instr, 2),
                                operand(instr, 1), shift(3), true));
    return true;
  default:
    return false;
  }
}

//===-- Control -----------------------------------------------------------===//

void WordEmitter::emitCompareWide(const MachineInstr &instr, unsigned first) {
  program
      .add(target::alu(Op::AluSub, target::none(), operand(instr, first),
                       operand(instr, first + 2)))
      .isGlued = true;
  program
      .add(target::alu(Op::AluSubCarry, target::none(),
                       operand(instr, first + 1), operand(instr, first + 3)))
      .isGlued = true;
}

/// Emits to = 1 if the branch would be taken on the current flags, else 0.
/// immed does not change the flags.
void WordEmitter::emitSet(Operand to, Op branch) {
  unsigned done = program.newLabel();
  program.add(target::immed(to, 1)).isGlued = true;
  branchOver(branch, done);
  program.add(target::immed(to, 0));
  program.bind(done);
  program.currentFrequency *= 2;
}

void WordEmitter::emitSelect(const MachineInstr &instr) {
  Operand to = operand(instr, 0);
  const MachineOperand &otherwise = instr.getOperand(5);
  if (otherwise.isReg() && operand(instr, 5) == to)
    return;
  compare(operand(instr, 1), operand(instr, 2));
  unsigned done = program.newLabel();
  branchOver(branchOps[literal(instr, 3)], done);
  if (otherwise.isReg())
    program.add(target::move(to, operand(instr, 5)));
  else
    loadImmediate(to, uint32_t(otherwise.getImm()));
  program.bind(done);
  program.currentFrequency *= 2;
}

void WordEmitter::emitCall(const MachineInstr &instr) {
  const auto *callee = cast<Function>(instr.getOperand(0).getGlobal());
  unsigned back = program.newLabel();
  program.add(target::immed(target::gprA(0), 0), back);
  branchTo(Op::Br, labelOf(callee), program.currentFrequency);
  program.items.back().isCall = true;
  program.bind(back);
}

void WordEmitter::csrRead(Operand to, unsigned csr) {
  program.add(target::csrRead(csr)).isGlued = true;
  program.add(target::immed(to, 0));
}

void WordEmitter::emitRingStatus(const MachineInstr &instr) {
  Operand to = operand(instr, 0);
  unsigned state = literal(instr, 1), done = program.newLabel();
  program.add(target::immed(to, 1));
  program.currentFrequency /= 2;
  program.add(target::branchOn(Op::BrInpState, state, 0), done).taken =
      program.currentFrequency;
  program.items.back().frequency *= 2;
  program.add(target::immed(to, 0));
  program.bind(done);
  program.currentFrequency *= 2;
}

/// Emits a branch on a ring's status if that branch is its only use. Returns
/// false otherwise.
bool WordEmitter::emitRingBranch(const MachineInstr &instr) {
  auto next = std::next(instr.getIterator());
  if (instr.getOpcode() != Ixp::RINGSTATUS ||
      next == instr.getParent()->end() || next->getOpcode() != Ixp::BRCCri)
    return false;
  const MachineOperand &tested = next->getOperand(0);
  Condition condition = static_cast<Condition>(literal(*next, 2));
  if (tested.getReg() != instr.getOperand(0).getReg() || !tested.isKill() ||
      literal(*next, 1) != 0 || condition > NotEqual)
    return false;
  const MachineBasicBlock *target = next->getOperand(3).getMBB();
  program
      .add(target::branchOn(condition == NotEqual ? Op::BrInpState
                                                  : Op::BrNotInpState,
                            literal(instr, 1), 0),
           labelOf(target))
      .taken = flowTo(target);
  return true;
}

void WordEmitter::emitCommand(const MachineInstr &instr) {
  unsigned first = instr.getNumExplicitDefs();
  Op op = static_cast<Op>(literal(instr, first));
  const target::InstructionRow &row = target::row(op);
  const TargetRegisterInfo &tri =
      *instr.getMF()->getSubtarget().getRegisterInfo();
  Operand xfer;
  unsigned count = row.countMax ? 1 : 0;
  if (row.xfer != target::XferUse::No) {
    Register tuple = instr.getOperand(first ? 0 : 3).getReg();
    MCRegister start = tri.getSubReg(tuple, Ixp::sub0);
    unsigned words =
        start ? tri.getRegSizeInBits(*tri.getMinimalPhysRegClass(tuple)) / 32
              : 1;
    xfer = registerOperand(start ? start : tuple.asMCReg(), tri);
    if (count)
      count = words * 4 / row.unitBytes;
  }
  if (count > row.countMax) {
    KARAKAL_ASSERT(op == Op::SramRead && count == WideReadWords,
                   "one length needs an indirect reference");
    emitWideRead(target::command(op, xfer, operand(instr, first + 1),
                                 operand(instr, first + 2), row.countMax));
    return;
  }
  program.add(target::command(op, xfer, operand(instr, first + 1),
                              operand(instr, first + 2), count));
}

bool WordEmitter::emitControl(const MachineInstr &instr) {
  Traits traits = traitsOf(instr.getDesc());
  // Appends a branch to the block that operand `index` names.
  auto branch = [&](const target::Instruction &word, unsigned index) {
    const MachineBasicBlock *target = instr.getOperand(index).getMBB();
    program.add(word, labelOf(target)).taken = flowTo(target);
    return true;
  };
  switch (traits.kind) {
  case Kind::Branch:
    branchTo(Op::Br, labelOf(instr.getOperand(0).getMBB()),
             program.currentFrequency);
    return true;
  case Kind::BranchCompare:
    compare(operand(instr, 0), operand(instr, 1));
    return branch(target::branch(branchOps[literal(instr, 2)], 0), 3);
  case Kind::BranchCompareWide:
    emitCompareWide(instr, 0);
    return branch(target::branch(branchOps[literal(instr, 4)], 0), 5);
  case Kind::BranchBit:
    return branch(target::branchBit(traits.operation == 1, operand(instr, 0),
                                    literal(instr, 1), 0),
                  2);
  case Kind::BranchByte:
    return branch(target::branchByte(traits.operation == 1, operand(instr, 0),
                                     literal(instr, 1), literal(instr, 2), 0),
                  3);
  case Kind::SetCompare:
    compare(operand(instr, 1), operand(instr, 2));
    emitSet(operand(instr, 0), branchOps[literal(instr, 3)]);
    return true;
  case Kind::SetCompareWide:
    emitCompareWide(instr, 1);
    emitSet(operand(instr, 0), branchOps[literal(instr, 5)]);
    return true;
  case Kind::SelectCompare:
    emitSelect(instr);
    return true;
  case Kind::Call:
    emitCall(instr);
    return true;
  case Kind::Return:
    program.add(target::rtn(operand(instr, 0)));
    return true;
  case Kind::Halt:
    program.add(traits.operation == 1 ? target::halt() : target::ctxArbKill());
    return true;
  case Kind::Barrier:
    return true;
  case Kind::Swap:
    program.add(literal(instr, 0) == 0
                    ? target::ctxArbVoluntary()
                    : target::ctxArb(1u << literal(instr, 0)));
    return true;
  case Kind::CsrRead:
    csrRead(operand(instr, 0), literal(instr, 1));
    return true;
  case Kind::CsrWrite:
    program.add(target::csrWrite(literal(instr, 0), operand(instr, 1)));
    return true;
  case Kind::RingStatus:
    emitRingStatus(instr);
    return true;
  case Kind::Command:
    emitCommand(instr);
    return true;
  default:
    return false;
  }
}

//===-- Functions ---------------------------------------------------------===//

void WordEmitter::emitInstr(const MachineInstr &instr) {
  if (emitArithmetic(instr) || emitShift(instr) || emitControl(instr) ||
      emitLocal(instr) || emitUnit(instr))
    return;
  KARAKAL_UNREACHABLE("no words for a machine instruction");
}

/// The index among the source lines of the line that defines a function of the
/// runtime, which has no other; 0 for functions of the program.
uint32_t WordEmitter::lineOf(const Function &function) {
  StringRef source = function.getFnAttribute(target::runtime::SourceAttribute)
                         .getValueAsString();
  auto [file, line] = source.rsplit(':');
  target::SourceLine found{file.str(), 0};
  if (source.empty() || line.getAsInteger(10, found.line))
    return 0;
  program.sourceLines.push_back(found);
  return static_cast<uint32_t>(program.sourceLines.size() - 1);
}

void WordEmitter::emitFunction(MachineFunction &function, bool isEntry) {
  KARAKAL_ASSERT(function.getProperties().hasProperty(
                     MachineFunctionProperties::Property::NoVRegs),
                 "registers are allocated before words are emitted");
  KARAKAL_ASSERT(isEntry == program.functions.empty(),
                 "the entry function is emitted first");
  program.currentFunction = program.functions.size();
  program.functions.push_back(function.getName().str());
  program.currentLine = lineOf(function.getFunction());
  program.currentInstance = 0;
  program.marks.push_back({}); // of the prologue
  program.bind(labelOf(&function.getFunction()));
  if (isEntry)
    emitPrologue();
  countValues(function);
  const MachineInstr *skipped = nullptr; // emitted with the one before
  for (MachineBasicBlock &block : function) {
    program.bind(labelOf(&block));
    currentBlock = &block;
    markPaths(block);
    program.currentFrequency = frequencies.lookup(&block);
    for (const MachineInstr &instr : block) {
      if (instr.isPseudoProbe() && !isPathMark(instr))
        markLoop(instr);
      if (instr.isDebugValue())
        markValue(instr);
      if (instr.isMetaInstruction())
        continue;
      if (const DILocation *line = instr.getDebugLoc()) {
        target::SourceLine source{line->getFilename().str(), line->getLine()};
        const target::SourceLine &last = program.sourceLines.back();
        if (source.file != last.file || source.line != last.line)
          program.sourceLines.push_back(source);
        program.currentLine = program.sourceLines.size() - 1;
        program.currentInstance = instanceOf(*line);
      }
      // A branch to the next block needs no word.
      if (instr.getOpcode() == Ixp::BR &&
          block.isLayoutSuccessor(instr.getOperand(0).getMBB()) &&
          &instr == &block.back())
        continue;
      if (emitRingBranch(instr)) {
        skipped = &*std::next(instr.getIterator());
        continue;
      }
      if (&instr != skipped)
        emitInstr(instr);
    }
  }
}

} // namespace karakal::codegen
