// Assigns values to register banks.
//
// Two GPR sources of one word must come from different banks, so each such
// instruction is an edge "differ" between two values. A phi or a copy is an
// edge "same", because a value that changes bank costs a move. Both are parity
// relations, and a union-find with parity keeps a consistent set of them: edges
// are taken in descending order of block frequency, and an edge that
// contradicts the set is cut (a greedy maximum spanning forest):
//
//   differ(x, y), differ(y, z), differ(z, x)   -> the rarest of them is cut
//
// A cut "differ" costs a move of one operand into the other bank. Bank A itself
// is a node, to which values with a fixed class are tied. Free components are
// oriented so that both banks hold about the same number of values.
//
// Instructions change from form `rr` to `ab` or `ba`, whose operand classes
// bind register allocation to the result.

#include "codegen-me/target/IxpFunctionInfo.h"
#include "codegen-me/target/IxpInstrInfo.h"

#include "support/Error.h"

#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

#include <algorithm>

using namespace llvm;

namespace karakal::codegen {
namespace {

/// Union-find whose members know whether they differ from their root.
class ParitySets {
public:
  explicit ParitySets(unsigned count) : parent(count), odd(count, false) {
    for (unsigned i = 0; i < count; ++i)
      parent[i] = i;
  }
  /// The root of `x` and whether x differs from it.
  std::pair<unsigned, bool> find(unsigned x) {
    bool parity = false;
    unsigned root = x;
    while (parent[root] != root) {
      parity ^= odd[root];
      root = parent[root];
    }
    // Path compression.
    bool rest = parity;
    while (parent[x] != root && x != root) {
      unsigned next = parent[x];
      bool step = odd[x];
      parent[x] = root;
      odd[x] = rest;
      rest ^= step;
      x = next;
    }
    return {root, parity};
  }
  /// Relates x and y. Returns false if this contradicts a known relation.
  bool relate(unsigned x, unsigned y, bool differ) {
    auto [rx, px] = find(x);
    auto [ry, py] = find(y);
    if (rx == ry)
      return (px ^ py) == differ;
    parent[rx] = ry;
    odd[rx] = px ^ py ^ differ;
    return true;
  }

private:
  std::vector<unsigned> parent;
  std::vector<bool> odd;
};

struct Edge {
  unsigned x, y;
  bool differ;
  uint64_t weight;
  unsigned order; ///< order of appearance: keeps the result deterministic
};

class BankAssignment : public MachineFunctionPass {
public:
  static char ID;
  BankAssignment() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "IXP bank assignment"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineBlockFrequencyInfoWrapperPass>();
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  static constexpr unsigned BankA = 0; ///< the node of bank A itself
  unsigned nodeOf(Register reg) { return Register::virtReg2Index(reg) + 1; }
  bool isGpr(Register reg) {
    return reg.isVirtual() &&
           Ixp::GPRRegClass.hasSubClassEq(registers->getRegClass(reg));
  }
  void addEdge(unsigned x, unsigned y, bool differ, uint64_t weight) {
    edges.push_back({x, y, differ, weight, unsigned(edges.size())});
  }
  void collect(MachineInstr &instr, uint64_t frequency);
  void collectCopy(Register to, Register from, uint64_t frequency);
  void colour(ParitySets &sets);
  void rewrite(MachineInstr &instr);
  void settlePair(MachineInstr &instr, unsigned second, bool firstInA);
  void separateTied(MachineInstr &instr);
  bool inA(Register reg) { return bankA[nodeOf(reg)]; }
  void setBank(Register reg, bool a) {
    registers->setRegClass(reg, a ? &Ixp::GPRARegClass : &Ixp::GPRBRegClass);
  }

  MachineRegisterInfo *registers = nullptr;
  const TargetInstrInfo *info = nullptr;
  std::vector<Edge> edges;
  std::vector<bool> bankA; ///< by node
  unsigned copies = 0;
};
char BankAssignment::ID = 0;

void BankAssignment::collectCopy(Register to, Register from,
                                 uint64_t frequency) {
  if (isGpr(to) && isGpr(from))
    addEdge(nodeOf(to), nodeOf(from), false, frequency);
  else if (isGpr(to) && Ixp::GPRRegClass.contains(from))
    addEdge(nodeOf(to), BankA, Ixp::GPRBRegClass.contains(from), frequency);
  else if (isGpr(from) && Ixp::GPRRegClass.contains(to))
    addEdge(nodeOf(from), BankA, Ixp::GPRBRegClass.contains(to), frequency);
}

void BankAssignment::collect(MachineInstr &instr, uint64_t frequency) {
  // Cutting either kind of edge costs a move. But the move of a cut "same" may
  // be coalesced, and that of a phi is at the end of a predecessor.
  uint64_t differWeight = frequency * 4, sameWeight = frequency * 3;
  if (instr.isCopy()) {
    if (!instr.getOperand(0).getSubReg() && !instr.getOperand(1).getSubReg())
      collectCopy(instr.getOperand(0).getReg(), instr.getOperand(1).getReg(),
                  sameWeight);
    return;
  }
  if (instr.isPHI()) {
    for (unsigned i = 1; i + 1 < instr.getNumOperands(); i += 2)
      collectCopy(instr.getOperand(0).getReg(), instr.getOperand(i).getReg(),
                  sameWeight);
    return;
  }
  for (unsigned i = 0, e = instr.getNumExplicitDefs(); i < e; ++i) {
    unsigned use;
    if (instr.isRegTiedToUseOperand(i, &use))
      collectCopy(instr.getOperand(i).getReg(), instr.getOperand(use).getReg(),
                  sameWeight);
  }
  if (opcodeWithBanks(instr.getOpcode(), true) < 0)
    return;
  Traits traits = traitsOf(instr.getDesc());
  for (unsigned step = 0; step <= (traits.pairStep ? 1u : 0u); ++step)
    addEdge(nodeOf(instr.getOperand(traits.pairFirst + step).getReg()),
            nodeOf(instr.getOperand(traits.pairSecond + step).getReg()), true,
            differWeight);
  if (traits.pairStep)
    addEdge(nodeOf(instr.getOperand(traits.pairFirst).getReg()),
            nodeOf(instr.getOperand(traits.pairFirst + 1).getReg()), false,
            differWeight);
}

void BankAssignment::colour(ParitySets &sets) {
  unsigned count = registers->getNumVirtRegs() + 1;
  // Classes that selection has fixed come first because they cannot change.
  for (unsigned i = 0; i + 1 < count; ++i) {
    const auto *rc = registers->getRegClass(Register::index2VirtReg(i));
    if (rc == &Ixp::GPRARegClass || rc == &Ixp::GPRBRegClass)
      sets.relate(i + 1, BankA, rc == &Ixp::GPRBRegClass);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge &l, const Edge &r) {
    return l.weight != r.weight ? l.weight > r.weight : l.order < r.order;
  });
  std::vector<bool> bound(count, false); // has a "differ" edge
  for (const Edge &edge : edges) {
    sets.relate(edge.x, edge.y, edge.differ);
    if (edge.differ)
      bound[edge.x] = bound[edge.y] = true;
  }
  // Counts the members of each component that differ from its root and those
  // that do not. Each free component then goes where it improves the balance.
  std::vector<int> same(count, 0), other(count, 0);
  for (unsigned i = 1; i < count; ++i) {
    if (!isGpr(Register::index2VirtReg(i - 1)))
      continue;
    auto [root, odd] = sets.find(i);
    (odd ? other : same)[root] += 1;
  }
  auto [anchor, anchorOdd] = sets.find(BankA);
  std::vector<bool> rootInA(count, true);
  rootInA[anchor] = !anchorOdd;
  long balance = 0; // members in A minus members in B
  auto lean = [&](unsigned root) {
    return rootInA[root] ? same[root] - other[root] : other[root] - same[root];
  };
  balance += lean(anchor);
  std::vector<unsigned> roots;
  for (unsigned i = 1; i < count; ++i)
    if (i != anchor && sets.find(i).first == i)
      roots.push_back(i);
  auto weight = [&](unsigned root) {
    return std::abs(same[root] - other[root]);
  };
  std::sort(roots.begin(), roots.end(), [&](unsigned l, unsigned r) {
    return weight(l) != weight(r) ? weight(l) > weight(r) : l < r;
  });
  for (unsigned root : roots) {
    if (std::abs(balance + lean(root)) > std::abs(balance - lean(root)))
      rootInA[root] = false;
    balance += lean(root);
  }
  bankA.assign(count, true);
  for (unsigned i = 1; i < count; ++i) {
    auto [root, odd] = sets.find(i);
    bankA[i] = rootInA[root] ^ odd;
    Register reg = Register::index2VirtReg(i - 1);
    if (bound[i] && registers->getRegClass(reg) == &Ixp::GPRRegClass)
      setBank(reg, bankA[i]);
  }
}

/// Puts operand `second` into the bank that `firstInA` leaves for it.
void BankAssignment::settlePair(MachineInstr &instr, unsigned second,
                                bool secondInA) {
  MachineOperand &operand = instr.getOperand(second);
  if (inA(operand.getReg()) == secondInA)
    return;
  KARAKAL_ASSERT(operand.isUse(), "a result in the wrong bank");
  Register moved = registers->createVirtualRegister(
      secondInA ? &Ixp::GPRARegClass : &Ixp::GPRBRegClass);
  BuildMI(*instr.getParent(), instr, instr.getDebugLoc(),
          info->get(TargetOpcode::COPY), moved)
      .addReg(operand.getReg());
  operand.setReg(moved);
  operand.setIsKill(false);
  ++copies;
}

/// Copies the source that a result is tied to, because the source becomes the
/// result's register. Other uses of it in the instruction may need another
/// bank.
void BankAssignment::separateTied(MachineInstr &instr) {
  unsigned tied;
  if (!instr.getNumExplicitDefs() || !instr.isRegTiedToUseOperand(0, &tied))
    return;
  MachineOperand &operand = instr.getOperand(tied);
  unsigned uses = 0;
  for (const MachineOperand &other : instr.explicit_uses())
    uses += other.isReg() && other.getReg() == operand.getReg();
  if (uses < 2)
    return;
  Register own = registers->createVirtualRegister(
      registers->getRegClass(operand.getReg()));
  BuildMI(*instr.getParent(), instr, instr.getDebugLoc(),
          info->get(TargetOpcode::COPY), own)
      .addReg(operand.getReg());
  operand.setReg(own);
}

void BankAssignment::rewrite(MachineInstr &instr) {
  if (opcodeWithBanks(instr.getOpcode(), true) < 0)
    return;
  Traits traits = traitsOf(instr.getDesc());
  Register first = instr.getOperand(traits.pairFirst).getReg();
  bool firstInA = inA(first);
  // One opcode form holds for both pairs, so their first sources share a bank.
  if (traits.pairStep)
    settlePair(instr, traits.pairFirst + 1, firstInA);
  for (unsigned step = 0; step <= (traits.pairStep ? 1u : 0u); ++step)
    settlePair(instr, traits.pairSecond + step, !firstInA);
  instr.setDesc(info->get(opcodeWithBanks(instr.getOpcode(), firstInA)));
  separateTied(instr);
  // A tied result follows its source's class.
  for (unsigned i = 0, e = instr.getNumExplicitDefs(); i < e; ++i) {
    const TargetRegisterClass *rc = info->getRegClass(
        instr.getDesc(), i, registers->getTargetRegisterInfo(), *instr.getMF());
    Register reg = instr.getOperand(i).getReg();
    if (reg.isPhysical() || registers->constrainRegClass(reg, rc))
      continue;
    Register fresh = registers->createVirtualRegister(rc);
    instr.getOperand(i).setReg(fresh);
    BuildMI(*instr.getParent(), std::next(instr.getIterator()),
            instr.getDebugLoc(), info->get(TargetOpcode::COPY), reg)
        .addReg(fresh);
    ++copies;
  }
}

bool BankAssignment::runOnMachineFunction(MachineFunction &function) {
  registers = &function.getRegInfo();
  KARAKAL_ASSERT(registers->isSSA(), "banks are assigned in SSA form");
  info = function.getSubtarget().getInstrInfo();
  edges.clear();
  copies = 0;
  auto &frequencies =
      getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI();
  for (MachineBasicBlock &block : function) {
    uint64_t frequency = std::min<uint64_t>(
        std::max<uint64_t>(frequencies.getBlockFreq(&block).getFrequency(), 1),
        UINT64_MAX / 8);
    for (MachineInstr &instr : block)
      collect(instr, frequency);
  }
  ParitySets sets(registers->getNumVirtRegs() + 1);
  colour(sets);
  for (unsigned i = 0; i < registers->getNumVirtRegs(); ++i)
    registers->clearKillFlags(Register::index2VirtReg(i));
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instr : make_early_inc_range(block))
      rewrite(instr);
  function.getInfo<IxpFunctionInfo>()->bankCopies = copies;
  return true;
}

} // namespace

FunctionPass *createBankAssignment() { return new BankAssignment(); }

} // namespace karakal::codegen
