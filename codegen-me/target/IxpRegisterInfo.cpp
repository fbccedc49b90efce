// Registers and frame indices.

#include "codegen-me/target/IxpRegisterInfo.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"

#define GET_REGINFO_TARGET_DESC
#include "codegen-me/target/IxpGenRegisterInfo.inc"

using namespace llvm;

namespace karakal::codegen {

IxpRegisterInfo::IxpRegisterInfo() : IxpGenRegisterInfo(Ixp::A0) {}

const MCPhysReg *
IxpRegisterInfo::getCalleeSavedRegs(const MachineFunction *) const {
  return CSR_None_SaveList;
}

const uint32_t *IxpRegisterInfo::getCallPreservedMask(const MachineFunction &,
                                                      CallingConv::ID) const {
  return CSR_None_RegMask;
}

BitVector IxpRegisterInfo::getReservedRegs(const MachineFunction &) const {
  // TransferAllocation.cpp assigns transfer registers.
  BitVector reserved(getNumRegs());
  for (const TargetRegisterClass *file :
       {&Ixp::SINRegClass, &Ixp::SOUTRegClass, &Ixp::DINRegClass,
        &Ixp::DOUTRegClass})
    for (MCPhysReg reg : *file)
      markSuperRegs(reserved, reg);
  return reserved;
}

bool IxpRegisterInfo::eliminateFrameIndex(MachineBasicBlock::iterator at, int,
                                          unsigned operand,
                                          RegScavenger *) const {
  MachineOperand &frame = at->getOperand(operand);
  frame.ChangeToImmediate(frame.getIndex());
  return false;
}

Register IxpRegisterInfo::getFrameRegister(const MachineFunction &) const {
  return Ixp::A0;
}

} // namespace karakal::codegen

llvm::StackOffset llvm::IxpFrameLowering::getFrameIndexReference(
    const MachineFunction &, int index, Register &base) const {
  base = Ixp::A0;
  return StackOffset::getFixed(index);
}
