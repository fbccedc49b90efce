// A way around a fault in LLVM's instruction selection for x86.
//
// LLVM 18 and later select `(x & -256) | zext(load i8)`, a word of 32 bits, as
// a move into the low byte of a register, which keeps the upper 32 bits; yet a
// zero extension of the word to 64 bits takes them to be zero. The same holds
// for 16 bits (https://github.com/llvm/llvm-project/issues/205291). Keys of
// several fields are made of such words.

#ifndef KARAKAL_CODEGEN_X86_ZEROEXTENSION_H
#define KARAKAL_CODEGEN_X86_ZEROEXTENSION_H

#include "llvm/IR/Module.h"

namespace karakal::x86 {

/// Makes each zero extension of such a word clear the upper bits itself: an
/// empty piece of assembly before it hides where the word comes from. Runs
/// after all optimization. Returns how many there are.
unsigned guardZeroExtensions(llvm::Module &module);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_ZEROEXTENSION_H
