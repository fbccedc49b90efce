// Functions of the runtime.

#ifndef KARAKAL_PASSES_PACKETS_RUNTIMECALLS_H
#define KARAKAL_PASSES_PACKETS_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::passes {

/// The declaration of a function of runtime/packet.ll or an intrinsic of the
/// microengine, on words alone; made if the module has none.
mlir::func::FuncOp runtimeFunction(mlir::ModuleOp module, llvm::StringRef name,
                                   unsigned operands, unsigned results);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_RUNTIMECALLS_H
