// Code for several levels of x86-64 in one object.

#ifndef KARAKAL_CODEGEN_X86_CPUVARIANTS_H
#define KARAKAL_CODEGEN_X86_CPUVARIANTS_H

#include "llvm/IR/Module.h"

namespace karakal::x86 {

/// The level that every function is compiled for: x86-64-v2.
constexpr unsigned BaseLevel = 2;
/// The levels for which a copy is made: with AVX2 and BMI2, with AVX-512.
constexpr unsigned VariantLevels[] = {3, 4};

/// Makes a copy of `root`, a definition, and of all functions that it reaches
/// by calls, for each of VariantLevels. `root` then tests `level`, an i32 in
/// memory, at each call: it calls the copy for that level, or what it was.
void addCpuVariants(llvm::Function &root, llvm::GlobalVariable &level);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_CPUVARIANTS_H
