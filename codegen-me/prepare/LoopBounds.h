// Carries the bounds of loops to the words.
//
// The worst-case analysis must find the loops in the final words and know how
// often each iterates. A pair of calls states it in LLVM IR:
//
//     call void @__ixp_loop_entry(i32 number)
//   head:
//     call void @__ixp_loop_round(i32 number, i32 bound)
//
// The second call, anywhere in the loop, is executed at most `bound` times for
// each execution of the first, before the loop. This stays true for transformed
// loops and their copies, because calls cannot be dropped. markLoops replaces
// the calls by a pseudo probe at the head of each loop, which carries the
// stated or proven bound through the code generator and is copied with the
// head:
//
//   head:
//     call void @llvm.pseudoprobe(i64 depth, i64 iterations, i32 0, i64 -1)
//
// A probe yields no word and does not restrict other passes.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H
#define KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H

#include "llvm/IR/Function.h"

namespace karakal::codegen {

/// Operands of a probe's machine instruction.
constexpr unsigned LoopProbeDepth = 0, LoopProbeRounds = 1;

/// Replaces the calls that state bounds by a probe at the head of each loop of
/// `function`; 0 iterations: unknown.
void markLoops(llvm::Function &function);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H
