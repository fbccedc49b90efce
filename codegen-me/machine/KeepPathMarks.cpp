// Keeps the marks of paths while blocks are merged.
//
// LLVM merges blocks with the same code, and ignores probes when it compares
// them: the marks of both paths were lost. So a probe of markPaths
// (prepare/PathMarks.h) becomes an instruction without words:
//
//   PSEUDO_PROBE 1, 21, 1, -1   ->   PATHMARK 1, 21
//
// Blocks with one mark are still merged, and keep it; of others the mark stays
// in front of the code that they share.

#include "codegen-me/prepare/PathMarks.h"
#include "codegen-me/target/IxpInstrInfo.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

class KeepPathMarks : public MachineFunctionPass {
public:
  static char ID;
  KeepPathMarks() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Ixp path marks"; }
  bool runOnMachineFunction(MachineFunction &function) override;
};

char KeepPathMarks::ID = 0;

bool KeepPathMarks::runOnMachineFunction(MachineFunction &function) {
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &probe : make_early_inc_range(block)) {
      if (!probe.isPseudoProbe() || !isPathMark(probe))
        continue;
      BuildMI(block, probe, DebugLoc(), info.get(Ixp::PATHMARK))
          .addImm(probe.getOperand(PathMarkKind).getImm())
          .addImm(probe.getOperand(PathMarkNumber).getImm());
      probe.eraseFromParent();
      changed = true;
    }
  return changed;
}

} // namespace

FunctionPass *createKeepPathMarks() { return new KeepPathMarks(); }

} // namespace karakal::codegen
