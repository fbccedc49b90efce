// The microengine as an LLVM target.
//
// Registration, subtarget and pass pipeline. The target has no LLVM assembler:
// WordEmitter.cpp produces instructions of target-ixp.

#include "codegen-me/target/IxpTargetMachine.h"

#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

#define GET_REGINFO_MC_DESC
#include "codegen-me/target/IxpGenRegisterInfo.inc"
#define GET_INSTRINFO_MC_DESC
#include "codegen-me/target/IxpGenInstrInfo.inc"
#define GET_SUBTARGETINFO_MC_DESC
#define GET_SUBTARGETINFO_TARGET_DESC
#define GET_SUBTARGETINFO_CTOR
#include "codegen-me/target/IxpGenSubtargetInfo.inc"

IxpSubtarget::IxpSubtarget(const Triple &triple, const TargetMachine &machine)
    : IxpGenSubtargetInfo(triple, "ixp2400", "ixp2400", ""),
      lowering(machine, instructions.registers()) {}

namespace karakal::codegen {

const char *const DataLayoutText =
    "E-p:32:32-p1:32:32-p2:32:32-p3:32:32-p4:32:32-i64:32-n32-S32";
static const char *const TripleText = "ixpme-unknown-none-elf";

namespace {

class IxpAsmInfo : public MCAsmInfo {
public:
  IxpAsmInfo() {
    IsLittleEndian = false;
    CodePointerSize = CalleeSaveStackSlotSize = 4;
  }
};

MCRegisterInfo *makeRegisterInfo(const Triple &) {
  auto *info = new MCRegisterInfo();
  InitIxpMCRegisterInfo(info, Ixp::A0);
  return info;
}
MCInstrInfo *makeInstrInfo() {
  auto *info = new MCInstrInfo();
  InitIxpMCInstrInfo(info);
  return info;
}
MCSubtargetInfo *makeSubtargetInfo(const Triple &triple, StringRef cpu,
                                   StringRef features) {
  return createIxpMCSubtargetInfoImpl(triple, cpu, cpu, features);
}
MCAsmInfo *makeAsmInfo(const MCRegisterInfo &, const Triple &,
                       const MCTargetOptions &) {
  return new IxpAsmInfo();
}

/// The target, which the first use registers.
const Target &ixpTarget() {
  static Target target;
  static bool registered = [] {
    TargetRegistry::RegisterTarget(
        target, "ixpme", "IXP2400 microengine", "Ixp",
        [](Triple::ArchType) { return false; }, false);
    TargetRegistry::RegisterMCRegInfo(target, makeRegisterInfo);
    TargetRegistry::RegisterMCInstrInfo(target, makeInstrInfo);
    TargetRegistry::RegisterMCSubtargetInfo(target, makeSubtargetInfo);
    TargetRegistry::RegisterMCAsmInfo(target, makeAsmInfo);
    return true;
  }();
  (void)registered;
  return target;
}

TargetOptions targetOptions() {
  TargetOptions options;
  options.EnableIPRA = true;
  // Control never falls through from one function into the next.
  options.TrapUnreachable = true;
  return options;
}

class IxpPassConfig : public TargetPassConfig {
public:
  IxpPassConfig(IxpTargetMachine &machine, PassManagerBase &passes)
      : TargetPassConfig(machine, passes) {
    // The finished words say where variables lie (words/variables/).
    disablePass(&LiveDebugValuesID);
  }

  bool addInstSelector() override {
    addPass(createIxpSelect(getTM<IxpTargetMachine>(), getOptLevel()));
    return false;
  }
  void addPreRegAlloc() override {
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createCommandSchedule());
    addPass(createCommandExpansion());
    addPass(createTransferAllocation());
    addPass(createBankAssignment());
  }
  void addMachineLateOptimization() override {
    addPass(createKeepPathMarks());
    TargetPassConfig::addMachineLateOptimization();
  }
};

} // namespace

IxpTargetMachine::IxpTargetMachine(CodeGenOptLevel level)
    : LLVMTargetMachine(ixpTarget(), DataLayoutText, Triple(TripleText),
                        "ixp2400", "", targetOptions(), Reloc::Static,
                        CodeModel::Small, level),
      objectFile(std::make_unique<TargetLoweringObjectFileELF>()),
      subtarget(Triple(TripleText), *this) {
  initAsmInfo();
}

TargetPassConfig *IxpTargetMachine::createPassConfig(PassManagerBase &passes) {
  return new IxpPassConfig(*this, passes);
}

MachineFunctionInfo *IxpTargetMachine::createMachineFunctionInfo(
    BumpPtrAllocator &allocator, const Function &function,
    const TargetSubtargetInfo *info) const {
  return IxpFunctionInfo::create<IxpFunctionInfo>(allocator, function, info);
}

} // namespace karakal::codegen
