// The functions that a function reaches by calls.

#ifndef KARAKAL_CODEGEN_X86_REACH_H
#define KARAKAL_CODEGEN_X86_REACH_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace karakal::x86 {

/// Adds `function` and the functions that it reaches by direct calls to
/// `reached`, declarations included.
inline void reach(llvm::Function &function,
                  llvm::SetVector<llvm::Function *> &reached) {
  if (!reached.insert(&function))
    return;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (llvm::Function *callee = call->getCalledFunction())
          reach(*callee, reached);
}

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_REACH_H
