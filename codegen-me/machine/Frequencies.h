// Estimates how often each block is executed.
//
// A frequency is the number of executions of a machine block per start of the
// entry function. LLVM estimates frequencies from the branch weights of the
// profile: within a function by block frequencies, across functions by the
// frequencies of calls. The entry is an endless loop, so only ratios are
// meaningful. The throughput model uses them.

#ifndef KARAKAL_CODEGEN_ME_MACHINE_FREQUENCIES_H
#define KARAKAL_CODEGEN_ME_MACHINE_FREQUENCIES_H

#include "codegen-me/prepare/Prepare.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class MachineBasicBlock;
class MachineModuleInfo;
} // namespace llvm

namespace karakal::codegen {

using BlockFrequencies = llvm::DenseMap<const llvm::MachineBasicBlock *, float>;

/// The frequencies of the blocks of `order`, callers before callees.
BlockFrequencies estimateFrequencies(const CallOrder &order,
                                     const llvm::MachineModuleInfo &machine);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_MACHINE_FREQUENCIES_H
