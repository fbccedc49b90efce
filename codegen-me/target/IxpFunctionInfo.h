// Facts about one function that its machine passes share.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPFUNCTIONINFO_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPFUNCTIONINFO_H

#include "llvm/ADT/DenseMap.h"
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
  /// How often each block is executed; only ratios are meaningful. Computed
  /// when first needed, before registers are allocated.
  llvm::DenseMap<const llvm::MachineBasicBlock *, uint64_t> frequencies;
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPFUNCTIONINFO_H
