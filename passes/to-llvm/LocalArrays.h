// Local variables in memory, as addresses.
//
// On an engine each context has a copy, found by the numbers of the context and
// the engine. On the other cores the variable lies on the stack.
//
//   %a = baker.global_ref @f.a            // {baker.local, baker.stride = 64}
//   →  %s = call @__ixp_local_csr_rd(ACTIVE_CTX_STS)
//      %n = and %s, 7
//      %a = address of @f.a + %n * 256

#ifndef KARAKAL_PASSES_TO_LLVM_LOCALARRAYS_H
#define KARAKAL_PASSES_TO_LLVM_LOCALARRAYS_H

#include "passes/to-llvm/ToLlvmPatterns.h"

namespace karakal::passes {

/// Leaves one reference to each local variable in a function, at its entry, so
/// that there is one place on the stack.
void joinLocalReferences(mlir::ModuleOp module);

/// Returns the address of a local variable: an i32 on the chip, a pointer on
/// the host. Fails with an error if it has no placement for the engines.
mlir::FailureOr<mlir::Value>
localAddress(ir::GlobalRefOp op, const ToLlvmContext &context,
             mlir::ConversionPatternRewriter &rewriter);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_LOCALARRAYS_H
