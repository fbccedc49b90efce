// The functions of one core's program: declarations of the runtime's functions,
// and removal of unreachable ones.

#ifndef KARAKAL_PASSES_PACKETS_COREFUNCTIONS_H
#define KARAKAL_PASSES_PACKETS_COREFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::passes {

/// Returns the declaration of a function of runtime/packet.ll or of an
/// intrinsic of the microengine, with words as operands and results. It adds
/// the declaration if the module has none.
mlir::func::FuncOp runtimeFunction(mlir::ModuleOp module, llvm::StringRef name,
                                   unsigned operands, unsigned results);

/// Emits a word.
mlir::Value word(mlir::OpBuilder &builder, mlir::Location loc, uint32_t value);

/// Erases the functions of `module` that no function of `roots` reaches by
/// calls.
void eraseUnreached(mlir::ModuleOp module,
                    llvm::ArrayRef<mlir::func::FuncOp> roots);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_COREFUNCTIONS_H
