// Issues independent reads together.
//
// A context waits for a command at the first use of the words that it reads. A
// later read that does not depend on this use can be issued before it, so that
// both commands are in flight together:
//
//   %a = CIN1ri SramRead, %p, 4         %a = CIN1ri SramRead, %p, 4
//   %b = ADDri %a, 1                    %c = SHF %q, 2, 7
//   %c = SHF %q, 2, 7            ->     %d = CIN1ri DramRead, %c, 0
//   %d = CIN1ri DramRead, %c, 0         %b = ADDri %a, 1
//
// A read moves up to the first such use that comes after everything the read
// depends on: its operands, writes that may overlap it, rings, queues and
// atomics, and anything else with effects. The arithmetic of its address moves
// with it. The read stays if the words in flight would need too many transfer
// registers.
//
// Runs on SSA form, before command expansion, block by block.

#include "codegen-me/target/IxpInstrInfo.h"

#include "support/Error.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

#include <algorithm>

using namespace llvm;

namespace karakal::codegen {
namespace {

/// Most words of one register file that may be in flight together. Tuples are
/// consecutive, so fragmentation may leave some of the 15 or 16 registers
/// unusable.
constexpr unsigned WordsInFlightMax = 12;

bool isRead(Command c) {
  return c == SramRead || c == DramRead || c == ScratchRead;
}

/// The unit of a plain read or write, named by its read command; -1 for other
/// commands.
int unitOf(Command c) {
  switch (c) {
  case SramRead:
  case SramWrite:
    return SramRead;
  case DramRead:
  case DramWrite:
    return DramRead;
  case ScratchRead:
  case ScratchWrite:
    return ScratchRead;
  default:
    return -1;
  }
}

bool isCommand(const MachineInstr &instr) {
  return traitsOf(instr.getDesc()).kind == Kind::Command;
}

Command commandOf(const MachineInstr &instr) {
  return static_cast<Command>(
      instr.getOperand(instr.getNumExplicitDefs()).getImm());
}

/// A read as instruction selection leaves it: results, command, x, y.
bool isPlainRead(const MachineInstr &instr) {
  return isCommand(instr) && instr.getNumExplicitDefs() > 0 &&
         isRead(commandOf(instr));
}

/// Words that a plain read or write moves.
unsigned wordsOf(const MachineInstr &instr) {
  unsigned results = instr.getNumExplicitDefs();
  return results ? results : instr.getNumExplicitOperands() - 3;
}

/// Whether two plain accesses of one unit may overlap. Only literal offsets
/// from the same value prove that they do not.
bool mayOverlap(const MachineInstr &x, const MachineInstr &y) {
  unsigned ix = x.getNumExplicitDefs() + 1, iy = y.getNumExplicitDefs() + 1;
  if (!x.getOperand(ix + 1).isImm() || !y.getOperand(iy + 1).isImm() ||
      !x.getOperand(ix).isReg() || !y.getOperand(iy).isReg() ||
      x.getOperand(ix).getReg() != y.getOperand(iy).getReg())
    return true;
  int64_t ox = x.getOperand(ix + 1).getImm(),
          oy = y.getOperand(iy + 1).getImm();
  return ox < oy + 4 * int64_t(wordsOf(y)) && oy < ox + 4 * int64_t(wordsOf(x));
}

/// Whether `read` must stay after `instr` for reasons other than registers.
bool mustStayAfter(const MachineInstr &read, const MachineInstr &instr) {
  if (instr.isDebugInstr())
    return false;
  if (isCommand(instr)) {
    Command command = commandOf(instr);
    if (isRead(command))
      return false;
    return unitOf(command) < 0 || (unitOf(command) == unitOf(commandOf(read)) &&
                                   mayOverlap(instr, read));
  }
  switch (traitsOf(instr.getDesc()).kind) {
  case Kind::LocalLoad: // all contexts share local memory
  case Kind::LocalStore:
    return true;
  case Kind::FrameLoad: // a frame belongs to one context
  case Kind::FrameStore:
    return false;
  default:
    return instr.isCall() || instr.hasUnmodeledSideEffects() ||
           instr.mayStore() || instr.isPosition();
  }
}

/// Arithmetic that may move with the address it computes.
bool isArithmetic(const MachineInstr &instr) {
  return !instr.isPHI() && !instr.mayLoadOrStore() && !instr.isTerminator() &&
         !instr.hasUnmodeledSideEffects() && !instr.isCall() &&
         !instr.isPosition() && !instr.isDebugInstr() &&
         llvm::all_of(instr.operands(), [](const MachineOperand &o) {
           return !o.isReg() || o.getReg().isVirtual();
         });
}

class CommandSchedule : public MachineFunctionPass {
public:
  static char ID;
  CommandSchedule() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "IXP command scheduling"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  using Indices = SmallVector<unsigned, 8>;

  void number(MachineBasicBlock &block);
  /// Index + 1 of the definition of `reg` in this block, 0 if elsewhere.
  unsigned indexAfterDefinition(Register reg) const;
  bool waitsForCommand(unsigned index, unsigned before) const;
  unsigned earliest(unsigned read, Indices &slice) const;
  bool fits(unsigned read, unsigned target) const;
  bool hoist(unsigned read);

  MachineRegisterInfo *registers = nullptr;
  MachineBasicBlock *block = nullptr;
  std::vector<MachineInstr *> order;
  DenseMap<const MachineInstr *, unsigned> indexOf;
};
char CommandSchedule::ID = 0;

void CommandSchedule::number(MachineBasicBlock &in) {
  block = &in;
  order.clear();
  indexOf.clear();
  for (MachineInstr &instr : in) {
    indexOf[&instr] = unsigned(order.size());
    order.push_back(&instr);
  }
}

unsigned CommandSchedule::indexAfterDefinition(Register reg) const {
  const MachineInstr *def = registers->getVRegDef(reg);
  auto it = def ? indexOf.find(def) : indexOf.end();
  return it == indexOf.end() ? 0 : it->second + 1;
}

/// Whether the instruction uses a result of a command of this block that
/// precedes index `before`.
bool CommandSchedule::waitsForCommand(unsigned index, unsigned before) const {
  for (const MachineOperand &operand : order[index]->operands()) {
    if (!operand.isReg() || !operand.isUse() || !operand.getReg().isVirtual())
      continue;
    unsigned after = indexAfterDefinition(operand.getReg());
    if (after && after <= before && isCommand(*order[after - 1]))
      return true;
  }
  return false;
}

/// The first index to which the read could move. `slice` receives the address
/// arithmetic that must then move before it, in any order.
unsigned CommandSchedule::earliest(unsigned read, Indices &slice) const {
  unsigned from = read;
  while (from > 0 && !order[from - 1]->isPHI() &&
         !mustStayAfter(*order[read], *order[from - 1]))
    --from;
  Indices work{read};
  SmallDenseSet<unsigned, 16> seen;
  while (!work.empty()) {
    unsigned index = work.pop_back_val();
    for (const MachineOperand &operand : order[index]->operands()) {
      if (!operand.isReg() || !operand.isUse() || !operand.getReg().isVirtual())
        continue;
      unsigned after = indexAfterDefinition(operand.getReg());
      if (!after || after <= from)
        continue;
      if (!isArithmetic(*order[after - 1])) {
        from = std::max(from, after);
      } else if (seen.insert(after - 1).second) {
        slice.push_back(after - 1);
        work.push_back(after - 1);
      }
    }
  }
  return from;
}

/// Whether registers suffice if `read` moves to index `target`.
bool CommandSchedule::fits(unsigned read, unsigned target) const {
  bool dram = isDram(commandOf(*order[read]));
  unsigned words = wordsOf(*order[read]);
  for (unsigned i = 0; i < read; ++i) {
    const MachineInstr &other = *order[i];
    if (!isCommand(other) || !other.getNumExplicitDefs() ||
        isDram(commandOf(other)) != dram)
      continue;
    // Words that are still live when the read is issued.
    for (unsigned d = 0; d < other.getNumExplicitDefs(); ++d)
      if (llvm::any_of(
              registers->use_nodbg_instructions(other.getOperand(d).getReg()),
              [&](const MachineInstr &use) {
                auto it = indexOf.find(&use);
                return it == indexOf.end() || use.isPHI() ||
                       it->second >= target;
              })) {
        words += other.getNumExplicitDefs();
        break;
      }
  }
  return words <= WordsInFlightMax;
}

bool CommandSchedule::hoist(unsigned read) {
  Indices slice;
  unsigned target = earliest(read, slice);
  while (target < read && (!waitsForCommand(target, target) ||
                           llvm::is_contained(slice, target)))
    ++target;
  if (target >= read || !fits(read, target))
    return false;
  llvm::sort(slice);
  slice.push_back(read);
  for (unsigned index : slice)
    if (index > target)
      block->splice(order[target]->getIterator(), block,
                    order[index]->getIterator());
  return true;
}

bool CommandSchedule::runOnMachineFunction(MachineFunction &function) {
  registers = &function.getRegInfo();
  KARAKAL_ASSERT(registers->isSSA(), "a read moves with its single definition");
  bool changed = false;
  for (MachineBasicBlock &in : function) {
    number(in);
    for (unsigned i = 0; i < order.size(); ++i)
      if (isPlainRead(*order[i]) && hoist(i)) {
        changed = true;
        number(in);
      }
  }
  if (changed)
    for (unsigned i = 0; i < registers->getNumVirtRegs(); ++i)
      registers->clearKillFlags(Register::index2VirtReg(i));
  return changed;
}

} // namespace

FunctionPass *createCommandSchedule() { return new CommandSchedule(); }

} // namespace karakal::codegen
