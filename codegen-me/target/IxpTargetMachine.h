// The microengine as an LLVM target.

#ifndef KARAKAL_CODEGEN_ME_TARGET_IXPTARGETMACHINE_H
#define KARAKAL_CODEGEN_ME_TARGET_IXPTARGETMACHINE_H

#include "codegen-me/target/IxpFunctionInfo.h"
#include "codegen-me/target/IxpInstrInfo.h"
#include "codegen-me/target/IxpLowering.h"

#include "llvm/CodeGen/SelectionDAGTargetInfo.h"
#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#define GET_SUBTARGETINFO_HEADER
#include "codegen-me/target/IxpGenSubtargetInfo.inc"

// TableGen's output expects the class in LLVM's namespace.
namespace llvm {

class IxpSubtarget : public IxpGenSubtargetInfo {
public:
  IxpSubtarget(const Triple &triple, const TargetMachine &machine);

  const karakal::codegen::IxpInstrInfo *getInstrInfo() const override {
    return &instructions;
  }
  const karakal::codegen::IxpRegisterInfo *getRegisterInfo() const override {
    return &instructions.registers();
  }
  const IxpFrameLowering *getFrameLowering() const override { return &frame; }
  const karakal::codegen::IxpLowering *getTargetLowering() const override {
    return &lowering;
  }
  const SelectionDAGTargetInfo *getSelectionDAGInfo() const override {
    return &selection;
  }
  bool enableSubRegLiveness() const override { return true; }

  /// Required by the generated tables.
  void ParseSubtargetFeatures(StringRef cpu, StringRef tuneCpu,
                              StringRef features);

private:
  karakal::codegen::IxpInstrInfo instructions;
  IxpFrameLowering frame;
  karakal::codegen::IxpLowering lowering;
  SelectionDAGTargetInfo selection;
};

} // namespace llvm

namespace karakal::codegen {

using llvm::IxpSubtarget;

class IxpTargetMachine : public llvm::LLVMTargetMachine {
public:
  explicit IxpTargetMachine(llvm::CodeGenOptLevel level);

  const llvm::TargetSubtargetInfo *
  getSubtargetImpl(const llvm::Function &) const override {
    return &subtarget;
  }
  llvm::TargetPassConfig *
  createPassConfig(llvm::PassManagerBase &passes) override;
  llvm::TargetLoweringObjectFile *getObjFileLowering() const override {
    return objectFile.get();
  }
  llvm::MachineFunctionInfo *createMachineFunctionInfo(
      llvm::BumpPtrAllocator &allocator, const llvm::Function &function,
      const llvm::TargetSubtargetInfo *info) const override;
  bool useIPRA() const override { return true; }

private:
  std::unique_ptr<llvm::TargetLoweringObjectFile> objectFile;
  IxpSubtarget subtarget;
};

/// The data layout of the chip's LLVM IR.
extern const char *const DataLayoutText;

/// Instruction selection (IxpSelect.cpp).
llvm::FunctionPass *createIxpSelect(IxpTargetMachine &machine,
                                    llvm::CodeGenOptLevel level);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_TARGET_IXPTARGETMACHINE_H
