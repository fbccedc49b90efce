// Registers and frame indices.
//
// Frames are in local memory and are placed statically over the call graph. So
// there is no frame pointer, and a frame index remains a literal until the
// stack is planned (FramePlan.h). No general-purpose register is reserved: the
// addresses that the stack needs are kept in local memory.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPREGISTERINFO_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPREGISTERINFO_H

#include "codegen-me/target/Ixp.h"

#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"

#define GET_REGINFO_HEADER
#include "codegen-me/target/IxpGenRegisterInfo.inc"

// TableGen's output expects the class in LLVM's namespace.
namespace llvm {

class IxpFrameLowering : public TargetFrameLowering {
public:
  IxpFrameLowering()
      : TargetFrameLowering(StackGrowsUp, Align(4), 0, Align(4), false) {}
  void emitPrologue(MachineFunction &, MachineBasicBlock &) const override {}
  void emitEpilogue(MachineFunction &, MachineBasicBlock &) const override {}
  /// For the places of variables: the index itself instead of an offset.
  StackOffset getFrameIndexReference(const MachineFunction &, int index,
                                     Register &base) const override;
  bool hasFP(const MachineFunction &) const override { return false; }
  MachineBasicBlock::iterator
  eliminateCallFramePseudoInstr(MachineFunction &, MachineBasicBlock &block,
                                MachineBasicBlock::iterator at) const override {
    return block.erase(at);
  }
};

} // namespace llvm

namespace karakal::codegen {

using llvm::IxpFrameLowering;

class IxpRegisterInfo : public llvm::IxpGenRegisterInfo {
public:
  IxpRegisterInfo();

  const llvm::MCPhysReg *
  getCalleeSavedRegs(const llvm::MachineFunction *) const override;
  const uint32_t *getCallPreservedMask(const llvm::MachineFunction &,
                                       llvm::CallingConv::ID) const override;
  llvm::BitVector getReservedRegs(const llvm::MachineFunction &) const override;
  bool eliminateFrameIndex(llvm::MachineBasicBlock::iterator at, int spAdjust,
                           unsigned operand,
                           llvm::RegScavenger *) const override;
  llvm::Register getFrameRegister(const llvm::MachineFunction &) const override;
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPREGISTERINFO_H
