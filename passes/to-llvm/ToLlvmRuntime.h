// Cores, address spaces and calls of the runtime in code of the LLVM dialect.

#ifndef KARAKAL_PASSES_TO_LLVM_TOLLVMRUNTIME_H
#define KARAKAL_PASSES_TO_LLVM_TOLLVMRUNTIME_H

#include "ir/dialect/Baker.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace karakal::passes {

/// Returns the declaration of function `name`, which it adds if the module has
/// none. `result` is one type or void.
mlir::LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module,
                                      llvm::StringRef name, mlir::Type result,
                                      llvm::ArrayRef<mlir::Type> operands);

/// Calls a function of the runtime at `op` and returns its result of type
/// `result`, or null if `result` is null.
mlir::Value callRuntime(mlir::OpBuilder &builder, mlir::Operation *op,
                        llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange operands);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_TOLLVMRUNTIME_H
