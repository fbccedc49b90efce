// Implements the queries and edits of instructions by LLVM's passes.
//
// A branch compares its own operands, so the "condition" of branch analysis is
// the branch's opcode followed by all operands except the target.

#include "codegen-me/target/IxpInstrInfo.h"

#include "codegen-me/target/IxpFunctionInfo.h"
#include "support/Error.h"

#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

#define GET_INSTRINFO_CTOR_DTOR
#define GET_INSTRMAP_INFO
#include "codegen-me/target/IxpGenInstrInfo.inc"

using namespace llvm;

namespace karakal::codegen {

/// A block that is executed in less than 1 of so many iterations of a loop is
/// rare code of the loop.
constexpr uint64_t rareBelow = 64;

int opcodeWithBanks(unsigned opcode, bool firstInA) {
  return firstInA ? Ixp::formAB(opcode) : Ixp::formBA(opcode);
}

IxpInstrInfo::IxpInstrInfo()
    : IxpGenInstrInfo(Ixp::ADJCALLSTACKDOWN, Ixp::ADJCALLSTACKUP) {}

void IxpInstrInfo::copyPhysReg(MachineBasicBlock &block,
                               MachineBasicBlock::iterator at,
                               const DebugLoc &line, MCRegister to,
                               MCRegister from, bool kill) const {
  KARAKAL_ASSERT(Ixp::DESTRegClass.contains(to) &&
                     Ixp::SOURCERegClass.contains(from),
                 "copy of a tuple of transfer registers");
  BuildMI(block, at, line, get(Ixp::MOVE), to)
      .addReg(from, getKillRegState(kill));
}

static MachineMemOperand *slotOperand(MachineFunction &function, int index,
                                      MachineMemOperand::Flags flags) {
  const MachineFrameInfo &frame = function.getFrameInfo();
  return function.getMachineMemOperand(
      MachinePointerInfo::getFixedStack(function, index), flags,
      frame.getObjectSize(index), frame.getObjectAlign(index));
}

void IxpInstrInfo::storeRegToStackSlot(MachineBasicBlock &block,
                                       MachineBasicBlock::iterator at,
                                       Register from, bool kill, int frameIndex,
                                       const TargetRegisterClass *rc,
                                       const TargetRegisterInfo *,
                                       Register) const {
  KARAKAL_ASSERT(Ixp::GPRRegClass.hasSubClassEq(rc),
                 "spill of a transfer register");
  BuildMI(block, at, DebugLoc(), get(Ixp::FRAMESTORE))
      .addReg(from, getKillRegState(kill))
      .addFrameIndex(frameIndex)
      .addImm(0)
      .addMemOperand(slotOperand(*block.getParent(), frameIndex,
                                 MachineMemOperand::MOStore));
}

void IxpInstrInfo::loadRegFromStackSlot(MachineBasicBlock &block,
                                        MachineBasicBlock::iterator at,
                                        Register to, int frameIndex,
                                        const TargetRegisterClass *rc,
                                        const TargetRegisterInfo *,
                                        Register) const {
  KARAKAL_ASSERT(Ixp::GPRRegClass.hasSubClassEq(rc),
                 "reload of a transfer register");
  BuildMI(block, at, DebugLoc(), get(Ixp::FRAMELOAD), to)
      .addFrameIndex(frameIndex)
      .addImm(0)
      .addMemOperand(slotOperand(*block.getParent(), frameIndex,
                                 MachineMemOperand::MOLoad));
}

static Register slotAccess(const MachineInstr &instr, unsigned opcode,
                           int &frameIndex) {
  if (instr.getOpcode() != opcode || !instr.getOperand(1).isFI() ||
      instr.getOperand(2).getImm() != 0)
    return Register();
  frameIndex = instr.getOperand(1).getIndex();
  return instr.getOperand(0).getReg();
}

Register IxpInstrInfo::isLoadFromStackSlot(const MachineInstr &instr,
                                           int &frameIndex) const {
  return slotAccess(instr, Ixp::FRAMELOAD, frameIndex);
}

Register IxpInstrInfo::isStoreToStackSlot(const MachineInstr &instr,
                                          int &frameIndex) const {
  return slotAccess(instr, Ixp::FRAMESTORE, frameIndex);
}

static bool isConditional(const MachineInstr &instr) {
  return instr.isBranch() && instr.getOpcode() != Ixp::BR;
}

static MachineBasicBlock *targetOf(const MachineInstr &branch) {
  return branch.getOperand(branch.getNumExplicitOperands() - 1).getMBB();
}

static void takeCondition(const MachineInstr &branch,
                          SmallVectorImpl<MachineOperand> &condition) {
  condition.push_back(MachineOperand::CreateImm(branch.getOpcode()));
  for (unsigned i = 0; i + 1 < branch.getNumExplicitOperands(); ++i) {
    condition.push_back(branch.getOperand(i));
    if (condition.back().isReg())
      condition.back().setIsKill(false);
  }
}

bool IxpInstrInfo::analyzeBranch(MachineBasicBlock &block,
                                 MachineBasicBlock *&taken,
                                 MachineBasicBlock *&otherwise,
                                 SmallVectorImpl<MachineOperand> &condition,
                                 bool allowModify) const {
  taken = otherwise = nullptr;
  auto last = block.getLastNonDebugInstr();
  if (last == block.end() || !isUnpredicatedTerminator(*last))
    return false;
  // Instructions after an unconditional branch are unreachable.
  auto first = block.getFirstTerminator();
  for (auto it = first; it != block.end(); ++it) {
    if (it->getOpcode() != Ixp::BR)
      continue;
    if (std::next(it) != block.end()) {
      if (!allowModify)
        return true;
      block.erase(std::next(it), block.end());
    }
    last = it;
    break;
  }
  unsigned count = 0;
  for (auto it = first; it != block.end(); ++it)
    ++count;
  if (count > 2 || !last->isBranch())
    return true;
  if (count == 1) {
    taken = targetOf(*last);
    if (isConditional(*last))
      takeCondition(*last, condition);
    return false;
  }
  if (!isConditional(*first) || last->getOpcode() != Ixp::BR)
    return true;
  taken = targetOf(*first);
  otherwise = targetOf(*last);
  takeCondition(*first, condition);
  return false;
}

unsigned IxpInstrInfo::removeBranch(MachineBasicBlock &block,
                                    int *bytes) const {
  unsigned removed = 0;
  while (true) {
    auto last = block.getLastNonDebugInstr();
    if (last == block.end() || !last->isBranch())
      break;
    last->eraseFromParent();
    ++removed;
  }
  if (bytes)
    *bytes = int(removed) * 4;
  return removed;
}

unsigned IxpInstrInfo::insertBranch(MachineBasicBlock &block,
                                    MachineBasicBlock *taken,
                                    MachineBasicBlock *otherwise,
                                    ArrayRef<MachineOperand> condition,
                                    const DebugLoc &line, int *bytes) const {
  unsigned inserted = 1;
  if (condition.empty()) {
    BuildMI(&block, line, get(Ixp::BR)).addMBB(taken);
  } else {
    auto branch = BuildMI(&block, line, get(condition[0].getImm()));
    for (const MachineOperand &operand : condition.drop_front())
      branch.add(operand);
    branch.addMBB(taken);
    if (otherwise) {
      BuildMI(&block, line, get(Ixp::BR)).addMBB(otherwise);
      ++inserted;
    }
  }
  if (bytes)
    *bytes = int(inserted) * 4;
  return inserted;
}

bool IxpInstrInfo::reverseBranchCondition(
    SmallVectorImpl<MachineOperand> &condition) const {
  unsigned opcode = condition[0].getImm();
  switch (opcode) {
  case Ixp::BRSET:
    condition[0].setImm(Ixp::BRCLR);
    return false;
  case Ixp::BRCLR:
    condition[0].setImm(Ixp::BRSET);
    return false;
  case Ixp::BRBYTE:
    condition[0].setImm(Ixp::BRNBYTE);
    return false;
  case Ixp::BRNBYTE:
    condition[0].setImm(Ixp::BRBYTE);
    return false;
  default: // a compare: the condition is its last operand before the target
    condition.back().setImm(
        inverse(static_cast<Condition>(condition.back().getImm())));
    return false;
  }
}

bool IxpInstrInfo::shouldHoist(const MachineInstr &instr,
                               const MachineLoop *from) const {
  MachineFunction &function = *from->getHeader()->getParent();
  auto &frequencies = function.getInfo<IxpFunctionInfo>()->frequencies;
  if (frequencies.empty()) {
    MachineDominatorTree dominators(function);
    MachineLoopInfo loops(dominators);
    MachineBranchProbabilityInfo probabilities;
    MachineBlockFrequencyInfo blocks(function, probabilities, loops);
    for (const MachineBasicBlock &block : function)
      frequencies[&block] = blocks.getBlockFreq(&block).getFrequency();
  }
  uint64_t here = frequencies.lookup(instr.getParent());
  return here >= frequencies.lookup(from->getHeader()) / rareBelow;
}

} // namespace karakal::codegen
