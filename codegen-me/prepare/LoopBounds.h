// Loops and their bounds down to words.
//
// Who bounds the time of a program must find its loops in the final words and
// know how often each goes round. A pair of calls states it in LLVM IR:
//
//     call void @__ixp_loop_entry(i32 number)
//   head:
//     call void @__ixp_loop_round(i32 number, i32 bound)
//
// The second, anywhere in the loop, is passed `bound` times at most for each
// time that the first, in front of it, is. Both hold in whatever becomes of the
// loop, and of copies of it, as they are calls, which nobody may leave out.
// Their place is taken by a pseudo probe at each loop's head, which carries
// what is stated or proven through the code generator; that copies it where it
// copies the head:
//
//   head:
//     call void @llvm.pseudoprobe(i64 depth, i64 rounds, i32 0, i64 -1)
//
// A probe makes no word and holds nothing up.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H
#define KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H

#include "llvm/IR/Function.h"

namespace karakal::codegen {

/// Operands of a probe's machine instruction.
constexpr unsigned LoopProbeDepth = 0, LoopProbeRounds = 1;

/// Puts a probe at the head of each loop of `function`, in place of the calls
/// that state bounds; 0 rounds: not known.
void markLoops(llvm::Function &function);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H
