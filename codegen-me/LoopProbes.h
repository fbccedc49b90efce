//===- LoopProbes.h - loops and their bounds down to words -----*- C++ -*-===//
//
// Who bounds the time of a program must find its loops in the final words and
// know how often each goes round. LLVM knows that of its IR; a pseudo probe at
// a loop's head carries it through the code generator, which copies it where
// it copies the head:
//
//   head:
//     call void @llvm.pseudoprobe(i64 depth, i64 rounds, i32 0, i64 -1)
//
// A probe makes no word and holds nothing up.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_CODEGEN_ME_LOOPPROBES_H
#define KARAKAL_CODEGEN_ME_LOOPPROBES_H

#include "llvm/IR/Function.h"

namespace karakal::codegen {

/// Operands of a probe's machine instruction.
constexpr unsigned LoopProbeDepth = 0, LoopProbeRounds = 1;

/// Puts a probe at the head of each loop of `function`; 0 rounds: not known.
void markLoops(llvm::Function &function);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_LOOPPROBES_H
