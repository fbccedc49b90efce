// LLVM's optimization of a program for x86.

#ifndef KARAKAL_CODEGEN_X86_OPTIMIZE_H
#define KARAKAL_CODEGEN_X86_OPTIMIZE_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace karakal::x86 {

/// Ends the process as an internal error unless `module` is valid LLVM IR.
/// `when` says in the message after which step.
void verify(const llvm::Module &module, const char *when);

/// Inlines the functions that must be, and nothing else.
void inlineAlways(llvm::Module &module, llvm::TargetMachine &machine);

/// Inlines and simplifies a module whose packet primitives are not linked yet:
/// what LLVM knows of them decides which calls can go.
void simplify(llvm::Module &module, llvm::TargetMachine &machine);

/// Removes what is not needed and puts variables into registers, for code that
/// runs so briefly that LLVM's -O2 does not pay.
void optimizeQuickly(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs LLVM's -O2 pipeline. After this and optimizeQuickly, code can be
/// generated.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_OPTIMIZE_H
