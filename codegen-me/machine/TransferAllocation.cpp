// Runs of transfer registers.
//
// Command expansion leaves runs of transfer registers as virtual registers,
// moved to and from next to the command. This pass lets a word that a command
// reads stay where it is until its first use, so that the wait can stand
// there and the use can read the transfer register in place,
//
//   %t:sin2 = TINS2ri SramRead, %p, 8        $0_$1 = TINS2ri SramRead, %p, 8
//   %v = COPY %t.sub0                        ...
//   %w = COPY %t.sub1                  ->    %v = COPY $0
//   ...                                      %x = ADDri %v, 1
//   %x = ADDri %v, 1                         (%w is not needed here)
//
// and gives each run its registers. LLVM's allocator does not see them: all
// transfer registers are reserved. Runs take places in turn: what a command
// pulls from stays in use until the wait, and what one has filled can be read
// in place until it is filled again. If there is no place, the longest of the
// runs in the way is read out at once, as expansion left it, and all begins
// anew; runs that are all read at once never meet, so that this ends.

#include "codegen-me/target/IxpInstrInfo.h"

#include "support/Error.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

#include <algorithm>

using namespace llvm;

namespace karakal::codegen {
namespace {

/// The four files of transfer registers.
struct File {
  const TargetRegisterClass *single;
  MCPhysReg first;
  unsigned count; ///< to give away: $15 moves stack words
  bool isIn;
};
const File files[] = {{&Ixp::SINRegClass, Ixp::SI0, 15, true},
                      {&Ixp::SOUTRegClass, Ixp::SO0, 15, false},
                      {&Ixp::DINRegClass, Ixp::DI0, 16, true},
                      {&Ixp::DOUTRegClass, Ixp::DO0, 16, false}};

/// A run and what is part of it.
struct Run {
  Register reg;
  unsigned file;
  unsigned words;
  MachineInstr *command;
  /// In: copies out of it. Out: copies into it.
  std::vector<MachineInstr *> copies;
  bool isSunk = false;
  /// First and last instruction of each stretch where it is occupied.
  std::vector<std::pair<unsigned, unsigned>> stretches;
  unsigned start = 0;

  unsigned extent() const {
    unsigned sum = 0;
    for (auto [from, to] : stretches)
      sum += to - from + 1;
    return sum;
  }
  bool meets(unsigned from, unsigned to) const {
    for (auto [first, last] : stretches)
      if (first <= to && from <= last)
        return true;
    return false;
  }
  bool meets(const Run &other) const {
    for (auto [first, last] : other.stretches)
      if (meets(first, last))
        return true;
    return false;
  }
};

class TransferAllocation : public MachineFunctionPass {
public:
  static char ID;
  TransferAllocation() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override {
    return "IXP transfer register allocation";
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineDominatorTreeWrapperPass>();
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  int fileOf(Register reg) const;
  void collect(MachineFunction &function);
  void sink(Run &run);
  bool sinkCopy(MachineInstr &copy);
  void unsink(Run &run);
  void measure(MachineFunction &function);
  void measureIn(Run &run);
  bool isFree(const Run &run, unsigned start) const;
  bool place();
  void yield(const Run &blocked);
  void rewrite(Run &run);

  MachineRegisterInfo *registers = nullptr;
  const TargetRegisterInfo *tri = nullptr;
  MachineDominatorTree *dominators = nullptr;
  MachineLoopInfo *loops = nullptr;
  std::vector<Run> runs;
  std::vector<unsigned> placed; ///< runs that have their registers
  DenseMap<const MachineInstr *, unsigned> number;
  DenseMap<const MachineBasicBlock *, std::pair<unsigned, unsigned>> range;
  /// Where registers are named outright, and calls, which use any.
  std::vector<std::pair<unsigned, MCPhysReg>> fixed;
  std::vector<unsigned> calls;
};
char TransferAllocation::ID = 0;

int TransferAllocation::fileOf(Register reg) const {
  if (!reg.isVirtual())
    return -1;
  const TargetRegisterClass *rc = registers->getRegClass(reg);
  MCPhysReg any = *rc->begin();
  MCRegister first = tri->getSubReg(any, Ixp::sub0);
  for (unsigned f = 0; f < std::size(files); ++f)
    if (files[f].single->contains(first ? first : MCRegister(any)))
      return int(f);
  return -1;
}

/// Finds the runs by their commands.
void TransferAllocation::collect(MachineFunction &function) {
  runs.clear();
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : block) {
      if (instr.isCopy() || instr.isRegSequence())
        continue;
      for (const MachineOperand &operand : instr.explicit_operands()) {
        if (!operand.isReg() || fileOf(operand.getReg()) < 0)
          continue;
        Run run;
        run.reg = operand.getReg();
        run.file = unsigned(fileOf(run.reg));
        run.words =
            tri->getRegSizeInBits(*registers->getRegClass(run.reg)) / 32;
        run.command = &instr;
        if (files[run.file].isIn) {
          for (MachineInstr &use : registers->use_nodbg_instructions(run.reg))
            run.copies.push_back(&use);
        } else {
          MachineInstr *def = registers->getVRegDef(run.reg);
          if (def->isCopy())
            run.copies.push_back(def);
          else
            for (unsigned i = 1; i < def->getNumOperands(); i += 2)
              run.copies.push_back(
                  registers->getVRegDef(def->getOperand(i).getReg()));
        }
        runs.push_back(run);
      }
    }
}

//===-- Sinking -----------------------------------------------------------===//

/// Moves a copy down to the first use of its value; false if it has none.
bool TransferAllocation::sinkCopy(MachineInstr &copy) {
  MachineBasicBlock *home = copy.getParent(), *at = nullptr;
  Register value = copy.getOperand(0).getReg();
  if (!value.isVirtual())
    return false;
  for (MachineInstr &use : registers->use_nodbg_instructions(value)) {
    for (unsigned i = 0; i < use.getNumOperands(); ++i) {
      const MachineOperand &operand = use.getOperand(i);
      if (!operand.isReg() || operand.getReg() != value || !operand.isUse())
        continue;
      MachineBasicBlock *block =
          use.isPHI() ? use.getOperand(i + 1).getMBB() : use.getParent();
      at = at ? dominators->findNearestCommonDominator(at, block) : block;
    }
  }
  if (!at)
    return false;
  if (loops->getLoopFor(at) != loops->getLoopFor(home))
    at = home;
  auto place = at == home ? std::next(copy.getIterator())
                          : at->SkipPHIsAndLabels(at->begin());
  while (place != at->end() && !place->isTerminator() &&
         !place->readsVirtualRegister(value))
    ++place;
  at->splice(place, home, copy.getIterator());
  return true;
}

void TransferAllocation::sink(Run &run) {
  if (!files[run.file].isIn)
    return;
  run.isSunk = true;
  for (MachineInstr *copy : run.copies)
    sinkCopy(*copy);
}

void TransferAllocation::unsink(Run &run) {
  run.isSunk = false;
  MachineBasicBlock &block = *run.command->getParent();
  auto place = std::next(run.command->getIterator());
  for (MachineInstr *copy : run.copies)
    block.splice(place, copy->getParent(), copy->getIterator());
}

//===-- Where runs are occupied -------------------------------------------===//

/// From the command along all ways to the copies.
void TransferAllocation::measureIn(Run &run) {
  MachineBasicBlock *home = run.command->getParent();
  unsigned from = number[run.command];
  DenseMap<MachineBasicBlock *, unsigned> until;
  std::vector<MachineBasicBlock *> work;
  SmallPtrSet<MachineBasicBlock *, 8> liveIn;
  unsigned end = from;
  auto enter = [&](MachineBasicBlock *block) {
    if (liveIn.insert(block).second)
      work.push_back(block);
  };
  for (MachineInstr *copy : run.copies) {
    MachineBasicBlock *block = copy->getParent();
    unsigned at = number[copy];
    if (block == home) {
      end = std::max(end, at);
      continue;
    }
    unsigned &last = until[block];
    last = std::max(last, at);
    enter(block);
  }
  SmallPtrSet<MachineBasicBlock *, 8> liveOut;
  while (!work.empty()) {
    MachineBasicBlock *block = work.back();
    work.pop_back();
    for (MachineBasicBlock *before : block->predecessors()) {
      liveOut.insert(before);
      if (before != home)
        enter(before);
    }
  }
  run.stretches.push_back(
      {from, liveOut.count(home) ? range[home].second : end});
  for (MachineBasicBlock *block : liveIn)
    run.stretches.push_back({range[block].first, liveOut.count(block)
                                                     ? range[block].second
                                                     : until[block]});
}

void TransferAllocation::measure(MachineFunction &function) {
  number.clear();
  range.clear();
  fixed.clear();
  calls.clear();
  unsigned next = 0;
  for (MachineBasicBlock &block : function) {
    unsigned first = next++;
    for (MachineInstr &instr : block) {
      number[&instr] = next;
      for (const MachineOperand &operand : instr.operands())
        if (operand.isReg() && operand.getReg().isPhysical())
          fixed.push_back({next, MCPhysReg(operand.getReg().id())});
      if (instr.isCall())
        calls.push_back(next);
      ++next;
    }
    range[&block] = {first, next++};
  }
  for (Run &run : runs) {
    run.stretches.clear();
    if (files[run.file].isIn) {
      measureIn(run);
      continue;
    }
    unsigned to = number[run.command], from = to;
    for (MachineInstr *copy : run.copies)
      from = std::min(from, number[copy]);
    run.stretches.push_back({from, to});
  }
}

//===-- Places ------------------------------------------------------------===//

bool TransferAllocation::isFree(const Run &run, unsigned start) const {
  for (unsigned index : placed) {
    const Run &other = runs[index];
    if (other.file == run.file && other.start < start + run.words &&
        start < other.start + other.words && other.meets(run))
      return false;
  }
  for (auto [at, reg] : fixed)
    for (unsigned w = 0; w < run.words; ++w)
      if (reg == files[run.file].first + start + w && run.meets(at, at))
        return false;
  return true;
}

/// Gives every run a place; returns whether all have one. If not, a run has
/// been unsunk.
bool TransferAllocation::place() {
  unsigned next[std::size(files)] = {};
  placed.clear();
  for (unsigned index = 0; index < runs.size(); ++index) {
    Run &run = runs[index];
    const File &file = files[run.file];
    unsigned starts = file.count - run.words + 1;
    bool isCrossed = llvm::any_of(
        calls, [&](unsigned call) { return run.meets(call, call); });
    bool found = false;
    for (unsigned n = 0; n < starts && !found && !isCrossed; ++n) {
      run.start = (next[run.file] + n) % starts;
      found = isFree(run, run.start);
    }
    if (!found) {
      yield(run);
      return false;
    }
    next[run.file] = (run.start + run.words) % file.count;
    placed.push_back(index);
  }
  return true;
}

/// Reads out at once the longest of `blocked` and the runs in its way.
void TransferAllocation::yield(const Run &blocked) {
  Run *longest = nullptr;
  for (Run &run : runs)
    if (run.isSunk && run.file == blocked.file && run.meets(blocked) &&
        (!longest || run.extent() > longest->extent()))
      longest = &run;
  KARAKAL_ASSERT(longest, "no place for a run of transfer registers");
  unsink(*longest);
}

void TransferAllocation::rewrite(Run &run) {
  MCPhysReg first = MCPhysReg(files[run.file].first + run.start);
  auto wordOf = [&](unsigned sub) {
    return MCRegister(first + (sub ? sub - Ixp::sub0 : 0));
  };
  MCRegister whole = first;
  if (run.words > 1)
    whole = tri->getMatchingSuperReg(first, Ixp::sub0,
                                     registers->getRegClass(run.reg));
  KARAKAL_ASSERT(whole.isValid(), "a tuple begins at the register chosen");
  if (files[run.file].isIn) {
    for (MachineInstr *copy : run.copies) {
      MachineOperand &from = copy->getOperand(1);
      MCRegister word = wordOf(from.getSubReg());
      from.setSubReg(0);
      from.setReg(word);
    }
  } else {
    MachineInstr *def = registers->getVRegDef(run.reg);
    for (unsigned i = 0; i < run.copies.size(); ++i)
      run.copies[i]->getOperand(0).setReg(wordOf(Ixp::sub0 + i));
    if (def->isRegSequence())
      def->eraseFromParent();
  }
  for (MachineOperand &operand : run.command->explicit_operands())
    if (operand.isReg() && operand.getReg() == run.reg)
      operand.setReg(whole);
}

bool TransferAllocation::runOnMachineFunction(MachineFunction &function) {
  registers = &function.getRegInfo();
  KARAKAL_ASSERT(registers->isSSA(), "a transfer register has one definition");
  tri = function.getSubtarget().getRegisterInfo();
  dominators = &getAnalysis<MachineDominatorTreeWrapperPass>().getDomTree();
  loops = &getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  collect(function);
  if (runs.empty())
    return false;
  for (Run &run : runs)
    sink(run);
  do
    measure(function);
  while (!place());
  KARAKAL_ASSERT(placed.size() == runs.size(),
                 "every tuple of transfer registers is placed");
  for (Run &run : runs)
    rewrite(run);
  for (unsigned i = 0; i < registers->getNumVirtRegs(); ++i)
    registers->clearKillFlags(Register::index2VirtReg(i));
  return true;
}

} // namespace

FunctionPass *createTransferAllocation() { return new TransferAllocation(); }

} // namespace karakal::codegen
