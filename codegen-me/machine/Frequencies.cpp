// Estimates how often each block is executed.

#include "codegen-me/machine/Frequencies.h"
#include "support/Error.h"

#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"

using namespace llvm;

namespace karakal::codegen {

BlockFrequencies estimateFrequencies(const CallOrder &order,
                                     const MachineModuleInfo &machine) {
  BlockFrequencies frequencies;
  DenseMap<const Function *, double> starts;
  if (!order.empty())
    starts[order.front()] = 1;
  MachineBranchProbabilityInfo probabilities;
  for (Function *function : order) {
    MachineFunction *generated = machine.getMachineFunction(*function);
    KARAKAL_ASSERT(generated, "every function of the order has code");
    MachineFunction &mf = *generated;
    MachineDominatorTree dominators(mf);
    MachineLoopInfo loops(dominators);
    MachineBlockFrequencyInfo blocks(mf, probabilities, loops);
    double start = starts.lookup(function);
    for (MachineBasicBlock &block : mf) {
      double times = start * blocks.getBlockFreqRelativeToEntryBlock(&block);
      frequencies[&block] = float(times);
      for (const MachineInstr &instr : block)
        if (instr.isCall())
          for (const MachineOperand &operand : instr.operands())
            if (operand.isGlobal())
              if (auto *callee = dyn_cast<Function>(operand.getGlobal()))
                starts[callee] += times;
    }
  }
  return frequencies;
}

} // namespace karakal::codegen
