// Facts about one function that its machine passes share.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPFUNCTIONINFO_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPFUNCTIONINFO_H

#include "llvm/CodeGen/MachineFunction.h"

namespace karakal::codegen {

/// Facts about one function that its machine passes share.
class IxpFunctionInfo : public llvm::MachineFunctionInfo {
public:
  IxpFunctionInfo(const llvm::Function &, const llvm::TargetSubtargetInfo *) {}
  llvm::MachineFunctionInfo *clone(
      llvm::BumpPtrAllocator &allocator, llvm::MachineFunction &to,
      const llvm::DenseMap<llvm::MachineBasicBlock *, llvm::MachineBasicBlock *>
          &) const override {
    return to.cloneInfo<IxpFunctionInfo>(*this);
  }

  llvm::Register returnAddress; ///< virtual, live from the entry
  unsigned argumentBytes = 0;   ///< incoming arguments, at the frame's start
  unsigned bankCopies = 0;      ///< moves made by bank assignment
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPFUNCTIONINFO_H
