// Carries the bounds of loops to the words.
//
// The worst-case analysis must find the loops in the final words and know how
// often each iterates. A pair of calls states the bound in LLVM IR:
//
//     call void @__ixp_loop_entry(i32 number)
//   head:
//     call void @__ixp_loop_iteration(i32 number, i32 bound)
//
// The first call stands before the loop, the second one anywhere in it. The
// second is executed at most `bound` times for each execution of the first.
// This stays true for transformed loops and their copies, because calls cannot
// be dropped. markLoops replaces the calls by a pseudo probe at the head of
// each loop. The probe carries the stated or proven bound through the code
// generator and is copied with the head:
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
constexpr unsigned LoopProbeDepth = 0, LoopProbeIterations = 1;

/// Replaces the calls that state bounds by a probe at the head of each loop of
/// `function`. A probe with 0 iterations means that the bound is unknown.
void markLoops(llvm::Function &function);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_LOOPBOUNDS_H
