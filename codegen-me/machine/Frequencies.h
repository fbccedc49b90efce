// How often each block runs.
//
// Executions of each machine block for one start of the entry function, as
// LLVM estimates them from the branch weights that the profile gave: inside a
// function by block frequencies, across functions by the frequencies of the
// calls. The entry is an endless loop, so the figures mean something only in
// relation to each other; they are for the throughput model.

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
