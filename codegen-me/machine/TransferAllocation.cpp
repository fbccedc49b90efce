// Allocates tuples of transfer registers.
//
// Command expansion leaves tuples of transfer registers as virtual registers,
// with copies next to the command. This pass first leaves a word that a command
// reads in its transfer register until its first use, so that the wait can be
// placed there and the use can read the transfer register in place:
//
//   %t:sin2 = TINS2ri SramRead, %p, 8        $0_$1 = TINS2ri SramRead, %p, 8
//   %v = COPY %t.sub0                        ...
//   %w = COPY %t.sub1                  ->    %v = COPY $0
//   ...                                      %x = ADDri %v, 1
//   %x = ADDri %v, 1                         (%w is not needed here)
//
// Then it assigns registers to each tuple. LLVM's allocator does not see them:
// all transfer registers are reserved. Assignment is round-robin: registers
// that a command reads stay in use until its wait, and registers that a command
// has filled can be read in place until they are filled again. If a tuple does
// not fit, the longest of the conflicting tuples is copied out at the command,
// as expansion left it, and the assignment starts again. Tuples that are all
// copied out at their commands never overlap, so this terminates.

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
  unsigned count; ///< allocatable registers; $15 is reserved for stack words
  bool isIn;
};
const File files[] = {{&Ixp::SINRegClass, Ixp::SI0, 15, true},
                      {&Ixp::SOUTRegClass, Ixp::SO0, 15, false},
                      {&Ixp::DINRegClass, Ixp::DI0, 16, true},
                      {&Ixp::DOUTRegClass, Ixp::DO0, 16, false}};

/// A tuple of transfer registers, its command and its copies.
struct Tuple {
  Register reg;
  unsigned file;
  unsigned words;
  MachineInstr *command;
  /// In: copies out of it. Out: copies into it.
  std::vector<MachineInstr *> copies;
  bool isSunk = false;
  /// First and last instruction of each interval in which it is live.
  std::vector<std::pair<unsigned, unsigned>> intervals;
  unsigned start = 0;

  unsigned length() const {
    unsigned sum = 0;
    for (auto [from, to] : intervals)
      sum += to - from + 1;
    return sum;
  }
  bool overlaps(unsigned from, unsigned to) const {
    for (auto [first, last] : intervals)
      if (first <= to && from <= last)
        return true;
    return false;
  }
  bool overlaps(const Tuple &other) const {
    for (auto [first, last] : other.intervals)
      if (overlaps(first, last))
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
  void sink(Tuple &tuple);
  bool sinkCopy(MachineInstr &copy);
  void unsink(Tuple &tuple);
  void findIntervals(MachineFunction &function);
  void findInIntervals(Tuple &tuple);
  bool isFree(const Tuple &tuple, unsigned start) const;
  bool assign();
  void unsinkLongest(const Tuple &blocked);
  void rewrite(Tuple &tuple);

  MachineRegisterInfo *registers = nullptr;
  const TargetRegisterInfo *tri = nullptr;
  MachineDominatorTree *dominators = nullptr;
  MachineLoopInfo *loops = nullptr;
  std::vector<Tuple> tuples;
  std::vector<unsigned> assigned; ///< tuples that have registers
  DenseMap<const MachineInstr *, unsigned> number;
  DenseMap<const MachineBasicBlock *, std::pair<unsigned, unsigned>> range;
  /// Instructions that name physical registers, and calls, which may use any.
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

/// Finds the tuples by their commands.
void TransferAllocation::collect(MachineFunction &function) {
  tuples.clear();
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : block) {
      if (instr.isCopy() || instr.isRegSequence())
        continue;
      for (const MachineOperand &operand : instr.explicit_operands()) {
        if (!operand.isReg() || fileOf(operand.getReg()) < 0)
          continue;
        Tuple tuple;
        tuple.reg = operand.getReg();
        tuple.file = unsigned(fileOf(tuple.reg));
        tuple.words =
            tri->getRegSizeInBits(*registers->getRegClass(tuple.reg)) / 32;
        tuple.command = &instr;
        if (files[tuple.file].isIn) {
          for (MachineInstr &use : registers->use_nodbg_instructions(tuple.reg))
            tuple.copies.push_back(&use);
        } else {
          MachineInstr *def = registers->getVRegDef(tuple.reg);
          if (def->isCopy())
            tuple.copies.push_back(def);
          else
            for (unsigned i = 1; i < def->getNumOperands(); i += 2)
              tuple.copies.push_back(
                  registers->getVRegDef(def->getOperand(i).getReg()));
        }
        tuples.push_back(tuple);
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

void TransferAllocation::sink(Tuple &tuple) {
  if (!files[tuple.file].isIn)
    return;
  tuple.isSunk = true;
  for (MachineInstr *copy : tuple.copies)
    sinkCopy(*copy);
}

void TransferAllocation::unsink(Tuple &tuple) {
  tuple.isSunk = false;
  MachineBasicBlock &block = *tuple.command->getParent();
  auto place = std::next(tuple.command->getIterator());
  for (MachineInstr *copy : tuple.copies)
    block.splice(place, copy->getParent(), copy->getIterator());
}

//===-- Where tuples are occupied
//-------------------------------------------===//

/// Finds the intervals of an in-tuple: all paths from the command to its
/// copies.
void TransferAllocation::findInIntervals(Tuple &tuple) {
  MachineBasicBlock *home = tuple.command->getParent();
  unsigned from = number[tuple.command];
  DenseMap<MachineBasicBlock *, unsigned> until;
  std::vector<MachineBasicBlock *> work;
  SmallPtrSet<MachineBasicBlock *, 8> liveIn;
  unsigned end = from;
  auto enter = [&](MachineBasicBlock *block) {
    if (liveIn.insert(block).second)
      work.push_back(block);
  };
  for (MachineInstr *copy : tuple.copies) {
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
  tuple.intervals.push_back(
      {from, liveOut.count(home) ? range[home].second : end});
  for (MachineBasicBlock *block : liveIn)
    tuple.intervals.push_back({range[block].first, liveOut.count(block)
                                                       ? range[block].second
                                                       : until[block]});
}

void TransferAllocation::findIntervals(MachineFunction &function) {
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
  for (Tuple &tuple : tuples) {
    tuple.intervals.clear();
    if (files[tuple.file].isIn) {
      findInIntervals(tuple);
      continue;
    }
    unsigned to = number[tuple.command], from = to;
    for (MachineInstr *copy : tuple.copies)
      from = std::min(from, number[copy]);
    tuple.intervals.push_back({from, to});
  }
}

//===-- Assignment --------------------------------------------------------===//

bool TransferAllocation::isFree(const Tuple &tuple, unsigned start) const {
  for (unsigned index : assigned) {
    const Tuple &other = tuples[index];
    if (other.file == tuple.file && other.start < start + tuple.words &&
        start < other.start + other.words && other.overlaps(tuple))
      return false;
  }
  for (auto [at, reg] : fixed)
    for (unsigned w = 0; w < tuple.words; ++w)
      if (reg == files[tuple.file].first + start + w && tuple.overlaps(at, at))
        return false;
  return true;
}

/// Assigns registers to every tuple. If one does not fit, moves the copies of a
/// conflicting tuple back to its command and returns false.
bool TransferAllocation::assign() {
  unsigned next[std::size(files)] = {};
  assigned.clear();
  for (unsigned index = 0; index < tuples.size(); ++index) {
    Tuple &tuple = tuples[index];
    const File &file = files[tuple.file];
    unsigned starts = file.count - tuple.words + 1;
    bool isCrossed = llvm::any_of(
        calls, [&](unsigned call) { return tuple.overlaps(call, call); });
    bool found = false;
    for (unsigned n = 0; n < starts && !found && !isCrossed; ++n) {
      tuple.start = (next[tuple.file] + n) % starts;
      found = isFree(tuple, tuple.start);
    }
    if (!found) {
      unsinkLongest(tuple);
      return false;
    }
    next[tuple.file] = (tuple.start + tuple.words) % file.count;
    assigned.push_back(index);
  }
  return true;
}

/// Moves the copies of the longest tuple among `blocked` and those that it
/// conflicts with back to the command.
void TransferAllocation::unsinkLongest(const Tuple &blocked) {
  Tuple *longest = nullptr;
  for (Tuple &tuple : tuples)
    if (tuple.isSunk && tuple.file == blocked.file && tuple.overlaps(blocked) &&
        (!longest || tuple.length() > longest->length()))
      longest = &tuple;
  KARAKAL_ASSERT(longest, "no registers for a tuple of transfer registers");
  unsink(*longest);
}

void TransferAllocation::rewrite(Tuple &tuple) {
  MCPhysReg first = MCPhysReg(files[tuple.file].first + tuple.start);
  auto wordOf = [&](unsigned sub) {
    return MCRegister(first + (sub ? sub - Ixp::sub0 : 0));
  };
  MCRegister whole = first;
  if (tuple.words > 1)
    whole = tri->getMatchingSuperReg(first, Ixp::sub0,
                                     registers->getRegClass(tuple.reg));
  KARAKAL_ASSERT(whole.isValid(), "a tuple begins at the register chosen");
  if (files[tuple.file].isIn) {
    for (MachineInstr *copy : tuple.copies) {
      MachineOperand &from = copy->getOperand(1);
      MCRegister word = wordOf(from.getSubReg());
      from.setSubReg(0);
      from.setReg(word);
    }
  } else {
    MachineInstr *def = registers->getVRegDef(tuple.reg);
    for (unsigned i = 0; i < tuple.copies.size(); ++i)
      tuple.copies[i]->getOperand(0).setReg(wordOf(Ixp::sub0 + i));
    if (def->isRegSequence())
      def->eraseFromParent();
  }
  for (MachineOperand &operand : tuple.command->explicit_operands())
    if (operand.isReg() && operand.getReg() == tuple.reg)
      operand.setReg(whole);
}

bool TransferAllocation::runOnMachineFunction(MachineFunction &function) {
  registers = &function.getRegInfo();
  KARAKAL_ASSERT(registers->isSSA(), "a transfer register has one definition");
  tri = function.getSubtarget().getRegisterInfo();
  dominators = &getAnalysis<MachineDominatorTreeWrapperPass>().getDomTree();
  loops = &getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  collect(function);
  if (tuples.empty())
    return false;
  for (Tuple &tuple : tuples)
    sink(tuple);
  do
    findIntervals(function);
  while (!assign());
  KARAKAL_ASSERT(assigned.size() == tuples.size(),
                 "every tuple of transfer registers is assigned");
  for (Tuple &tuple : tuples)
    rewrite(tuple);
  for (unsigned i = 0; i < registers->getNumVirtRegs(); ++i)
    registers->clearKillFlags(Register::index2VirtReg(i));
  return true;
}

} // namespace

FunctionPass *createTransferAllocation() { return new TransferAllocation(); }

} // namespace karakal::codegen
