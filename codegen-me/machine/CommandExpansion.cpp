// Gives commands their transfer registers.
//
// Instruction selection leaves a command with its words as separate values:
//
//   %v, %w = CIN2ri SramRead, %p, 8
//
// This pass, the last one on SSA form, inserts a tuple of transfer registers:
//
//   %t:sin2 = TINS2ri SramRead, %p, 8
//   %v = COPY %t.sub0
//   %w = COPY %t.sub1
//
// The copies are next to the command, so a tuple is live over a few
// instructions only and is never spilled.

#include "codegen-me/target/IxpInstrInfo.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

/// The opcodes and classes of tuples of one length.
struct TupleRow {
  unsigned words;
  unsigned inRr, inRi, outRr, outRi;
  const TargetRegisterClass *in, *out;
};

#define KARAKAL_TUPLE(words, file, suffix)                                     \
  {words,                                                                      \
   Ixp::TIN##file##words##rr,                                                  \
   Ixp::TIN##file##words##ri,                                                  \
   Ixp::TOUT##file##words##rr,                                                 \
   Ixp::TOUT##file##words##ri,                                                 \
   &Ixp::file##IN##suffix##RegClass,                                           \
   &Ixp::file##OUT##suffix##RegClass}
const TupleRow sTuples[] = {KARAKAL_TUPLE(1, S, ),
                            KARAKAL_TUPLE(2, S, 2),
                            KARAKAL_TUPLE(3, S, 3),
                            KARAKAL_TUPLE(4, S, 4),
                            KARAKAL_TUPLE(5, S, 5),
                            KARAKAL_TUPLE(6, S, 6),
                            KARAKAL_TUPLE(7, S, 7),
                            KARAKAL_TUPLE(8, S, 8),
                            {WideReadWords, Ixp::TINS15rr, Ixp::TINS15ri, 0, 0,
                             &Ixp::SIN15RegClass, nullptr}};
const TupleRow dTuples[] = {KARAKAL_TUPLE(2, D, 2),   KARAKAL_TUPLE(4, D, 4),
                            KARAKAL_TUPLE(6, D, 6),   KARAKAL_TUPLE(8, D, 8),
                            KARAKAL_TUPLE(10, D, 10), KARAKAL_TUPLE(12, D, 12),
                            KARAKAL_TUPLE(14, D, 14), KARAKAL_TUPLE(16, D, 16)};
#undef KARAKAL_TUPLE

const TupleRow &tupleRowOf(Command command, unsigned words) {
  for (const TupleRow &row :
       isDram(command) ? ArrayRef(dTuples) : ArrayRef(sTuples))
    if (row.words == words)
      return row;
  KARAKAL_UNREACHABLE("no command moves this number of words");
}

constexpr MCRegister exchangeIn[] = {Ixp::SI0, Ixp::SI1, Ixp::SI2, Ixp::SI3};
constexpr MCRegister exchangeOut[] = {Ixp::SO0, Ixp::SO1, Ixp::SO2, Ixp::SO3};

class CommandExpansion : public MachineFunctionPass {
public:
  static char ID;
  CommandExpansion() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "IXP command expansion"; }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  void expandIn(MachineInstr &instr, unsigned words);
  void expandOut(MachineInstr &instr, unsigned words);
  /// Expands a command that sends and receives through $0 and the registers
  /// after it; `first` is the operand of the first word to send.
  void expandExchange(MachineInstr &instr, unsigned opcode, unsigned words,
                      unsigned first);
  /// The tuple that holds the `words` operands that begin at `first`.
  Register gather(MachineInstr &instr, const TupleRow &row, bool dram,
                  unsigned first);
  void expandMasked(MachineInstr &instr);
  bool expand(MachineInstr &instr);

  const TargetInstrInfo *info = nullptr;
  MachineRegisterInfo *registers = nullptr;
};
char CommandExpansion::ID = 0;

bool isLiteralForm(const MachineInstr &instr, unsigned address) {
  return instr.getOperand(address + 1).isImm();
}

void CommandExpansion::expandIn(MachineInstr &instr, unsigned words) {
  MachineBasicBlock &block = *instr.getParent();
  auto command = static_cast<Command>(instr.getOperand(words).getImm());
  const TupleRow &row = tupleRowOf(command, words);
  Register tuple = registers->createVirtualRegister(row.in);
  const DebugLoc &line = instr.getDebugLoc();
  auto in = BuildMI(
      block, instr, line,
      info->get(isLiteralForm(instr, words + 1) ? row.inRi : row.inRr), tuple);
  for (unsigned i = words; i < words + 3; ++i)
    in.add(instr.getOperand(i));
  in.cloneMemRefs(instr);
  for (unsigned i = 0; i < words; ++i) {
    const MachineOperand &to = instr.getOperand(i);
    BuildMI(block, instr, line, info->get(TargetOpcode::COPY), to.getReg())
        .addReg(tuple, 0, words == 1 ? 0 : Ixp::sub0 + i);
  }
}

Register CommandExpansion::gather(MachineInstr &instr, const TupleRow &row,
                                  bool dram, unsigned first) {
  MachineBasicBlock &block = *instr.getParent();
  const DebugLoc &line = instr.getDebugLoc();
  const TargetRegisterClass *single =
      dram ? &Ixp::DOUTRegClass : &Ixp::SOUTRegClass;
  KARAKAL_ASSERT(first + row.words <= instr.getNumExplicitOperands(),
                 "the command has a value for each word");
  SmallVector<Register, 16> parts;
  for (unsigned i = 0; i < row.words; ++i) {
    parts.push_back(registers->createVirtualRegister(single));
    BuildMI(block, instr, line, info->get(TargetOpcode::COPY), parts[i])
        .add(instr.getOperand(first + i));
  }
  if (row.words == 1)
    return parts[0];
  Register tuple = registers->createVirtualRegister(row.out);
  auto sequence =
      BuildMI(block, instr, line, info->get(TargetOpcode::REG_SEQUENCE), tuple);
  for (unsigned i = 0; i < row.words; ++i)
    sequence.addReg(parts[i]).addImm(Ixp::sub0 + i);
  return tuple;
}

void CommandExpansion::expandOut(MachineInstr &instr, unsigned words) {
  auto command = static_cast<Command>(instr.getOperand(0).getImm());
  const TupleRow &row = tupleRowOf(command, words);
  Register tuple = gather(instr, row, isDram(command), 3);
  BuildMI(*instr.getParent(), instr, instr.getDebugLoc(),
          info->get(isLiteralForm(instr, 1) ? row.outRi : row.outRr))
      .add(instr.getOperand(0))
      .add(instr.getOperand(1))
      .add(instr.getOperand(2))
      .addReg(tuple)
      .cloneMemRefs(instr);
}

void CommandExpansion::expandMasked(MachineInstr &instr) {
  static const unsigned opcodes[2][2] = {{Ixp::TMASKrr, Ixp::TMASKri},
                                         {Ixp::TMASKIrr, Ixp::TMASKIri}};
  Register tuple = gather(instr, tupleRowOf(DramWrite, 2), true, 3);
  BuildMI(
      *instr.getParent(), instr, instr.getDebugLoc(),
      info->get(opcodes[instr.getOperand(5).isImm()][isLiteralForm(instr, 1)]))
      .add(instr.getOperand(0))
      .add(instr.getOperand(1))
      .add(instr.getOperand(2))
      .addReg(tuple)
      .add(instr.getOperand(5));
}

void CommandExpansion::expandExchange(MachineInstr &instr, unsigned opcode,
                                      unsigned words, unsigned first) {
  MachineBasicBlock &block = *instr.getParent();
  const DebugLoc &line = instr.getDebugLoc();
  const MCInstrDesc &copy = info->get(TargetOpcode::COPY);
  for (unsigned i = 0; i < words; ++i)
    BuildMI(block, instr, line, copy, exchangeOut[i])
        .add(instr.getOperand(first + i));
  auto command = BuildMI(block, instr, line, info->get(opcode));
  for (unsigned i = words; i < first; ++i)
    command.add(instr.getOperand(i));
  for (unsigned i = 0; i < words; ++i)
    BuildMI(block, instr, line, copy, instr.getOperand(i).getReg())
        .addReg(exchangeIn[i]);
}

bool CommandExpansion::expand(MachineInstr &instr) {
  StringRef name = info->getName(instr.getOpcode());
  if (!name.starts_with("C"))
    return false;
  unsigned results = instr.getNumExplicitDefs();
  switch (traitsOf(instr.getDesc()).kind) {
  case Kind::Command:
    if (results)
      expandIn(instr, results);
    else
      expandOut(instr, instr.getNumExplicitOperands() - 3);
    return true;
  case Kind::Exchange:
    expandExchange(instr, isLiteralForm(instr, 2) ? Ixp::TSWAPri : Ixp::TSWAPrr,
                   1, 4);
    return true;
  case Kind::Hash:
    expandExchange(instr, results == 2 ? Ixp::THASH2 : Ixp::THASH4, results,
                   results + 1);
    return true;
  case Kind::WriteMasked:
    expandMasked(instr);
    return true;
  default:
    return false;
  }
}

bool CommandExpansion::runOnMachineFunction(MachineFunction &function) {
  info = function.getSubtarget().getInstrInfo();
  registers = &function.getRegInfo();
  KARAKAL_ASSERT(registers->isSSA(), "commands are expanded in SSA form");
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : make_early_inc_range(block)) {
      if (!expand(instr))
        continue;
      instr.eraseFromParent();
      changed = true;
    }
  // Uses have moved, so kill flags may be wrong.
  if (changed)
    for (unsigned i = 0; i < registers->getNumVirtRegs(); ++i)
      registers->clearKillFlags(Register::index2VirtReg(i));
  return changed;
}

} // namespace

FunctionPass *createCommandExpansion() { return new CommandExpansion(); }

} // namespace karakal::codegen
