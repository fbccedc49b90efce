// Queries and edits of instructions by LLVM's passes.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPINSTRINFO_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPINSTRINFO_H

#include "codegen-me/target/IxpRegisterInfo.h"

#include "llvm/CodeGen/TargetInstrInfo.h"

#define GET_INSTRINFO_HEADER
#include "codegen-me/target/IxpGenInstrInfo.inc"

namespace karakal::codegen {

/// The opcode of form `rr` with its first source in bank A (or B).
int opcodeWithBanks(unsigned opcode, bool firstInA);

class IxpInstrInfo : public llvm::IxpGenInstrInfo {
public:
  IxpInstrInfo();
  const IxpRegisterInfo &registers() const { return info; }

  void copyPhysReg(llvm::MachineBasicBlock &block,
                   llvm::MachineBasicBlock::iterator at,
                   const llvm::DebugLoc &line, llvm::MCRegister to,
                   llvm::MCRegister from, bool kill) const override;
  void storeRegToStackSlot(llvm::MachineBasicBlock &block,
                           llvm::MachineBasicBlock::iterator at,
                           llvm::Register from, bool kill, int frameIndex,
                           const llvm::TargetRegisterClass *,
                           const llvm::TargetRegisterInfo *,
                           llvm::Register) const override;
  void loadRegFromStackSlot(llvm::MachineBasicBlock &block,
                            llvm::MachineBasicBlock::iterator at,
                            llvm::Register to, int frameIndex,
                            const llvm::TargetRegisterClass *,
                            const llvm::TargetRegisterInfo *,
                            llvm::Register) const override;
  llvm::Register isLoadFromStackSlot(const llvm::MachineInstr &instr,
                                     int &frameIndex) const override;
  llvm::Register isStoreToStackSlot(const llvm::MachineInstr &instr,
                                    int &frameIndex) const override;

  bool analyzeBranch(llvm::MachineBasicBlock &block,
                     llvm::MachineBasicBlock *&taken,
                     llvm::MachineBasicBlock *&otherwise,
                     llvm::SmallVectorImpl<llvm::MachineOperand> &condition,
                     bool allowModify) const override;
  unsigned removeBranch(llvm::MachineBasicBlock &block,
                        int *bytes) const override;
  unsigned insertBranch(llvm::MachineBasicBlock &block,
                        llvm::MachineBasicBlock *taken,
                        llvm::MachineBasicBlock *otherwise,
                        llvm::ArrayRef<llvm::MachineOperand> condition,
                        const llvm::DebugLoc &line, int *bytes) const override;
  bool reverseBranchCondition(
      llvm::SmallVectorImpl<llvm::MachineOperand> &condition) const override;

  /// Refuses to move a constant of rare code before the loop: it would take a
  /// register from frequent code.
  bool shouldHoist(const llvm::MachineInstr &instr,
                   const llvm::MachineLoop *from) const override;

private:
  IxpRegisterInfo info;
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPINSTRINFO_H
