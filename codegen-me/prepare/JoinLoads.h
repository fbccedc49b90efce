// Joins loads of adjacent words.
//
// An LLVM pass: loads of a few words of SRAM or scratch whose addresses differ
// by constants become one command at the first of them, if the later ones are
// likely enough to be executed:
//
//   %a = load i32, ptr addrspace(1) (%x + 4)    %w = load <2 x i32>, (%x + 0)
//   br i1 %c, label %more, ...               →  br i1 %c, label %more, ...
//   more:                                       more:
//   %b = load i32, ptr addrspace(1) (%x + 0)    %b = extractelement %w, 0
//
// It does for computed addresses what packet access combining does for the
// fields of one object (passes/pac/PacGlobals.cpp), under the same rules: no
// path between the two loads may write that memory, call a function, or load
// from another address. A word that the program might not read is read only if
// it is in the same aligned block as one that it does read, so that it exists.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_JOINLOADS_H
#define KARAKAL_CODEGEN_ME_PREPARE_JOINLOADS_H

#include "target-ixp/chip/ChipParameters.h"
#include "llvm/IR/PassManager.h"

namespace karakal::codegen {

class JoinLoads : public llvm::PassInfoMixin<JoinLoads> {
public:
  /// The chip's times say when a word read for nothing costs less than a
  /// command.
  explicit JoinLoads(const target::ChipParameters &chip) : chip(chip) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  target::ChipParameters chip;
};

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_JOINLOADS_H
