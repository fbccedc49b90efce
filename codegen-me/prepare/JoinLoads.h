// Loads of neighbouring words.
//
// A LLVM pass: loads of a few words of SRAM or the scratchpad whose addresses
// differ by constants become one command at the first of them, where the later
// ones are likely enough to be reached:
//
//   %a = load i32, ptr addrspace(1) (%x + 4)    %w = load <2 x i32>, (%x + 0)
//   br i1 %c, label %more, ...               →  br i1 %c, label %more, ...
//   more:                                       more:
//   %b = load i32, ptr addrspace(1) (%x + 0)    %b = extractelement %w, 0
//
// It does for computed addresses what packet access combining does for the
// fields of one object (passes/pac/PacGlobals.cpp), and keeps the same rules:
// on no path between the two may anything write that memory, be called, or load
// from another place. A word that the program might not read is read only if it
// lies in one aligned block with one that it does read, so that it is there.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_JOINLOADS_H
#define KARAKAL_CODEGEN_ME_PREPARE_JOINLOADS_H

#include "llvm/IR/PassManager.h"

namespace karakal::driver {

class JoinLoads : public llvm::PassInfoMixin<JoinLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace karakal::driver

#endif // KARAKAL_CODEGEN_ME_PREPARE_JOINLOADS_H
