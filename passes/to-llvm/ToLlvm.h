// Parts of baker-to-llvm.
//
// The pieces that the files of the pass share: how types are represented and
// how a runtime function is called.

#ifndef KARAKAL_PASSES_TO_LLVM_TOLLVM_H
#define KARAKAL_PASSES_TO_LLVM_TOLLVM_H

#include "ir/dialect/Baker.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace karakal::passes {

/// Whose code baker-to-llvm makes.
enum class LlvmTarget { Me, XScale, Host };

/// Address spaces of chip code.
enum AddressSpace : unsigned {
  SpaceSram = 1,
  SpaceDram = 2,
  SpaceScratch = 3,
  SpaceLocal = 4
};

/// Declares `name` at module level unless it is there; `results` is void or
/// one type.
mlir::LLVM::LLVMFuncOp declareRuntime(mlir::ModuleOp module,
                                      llvm::StringRef name, mlir::Type result,
                                      llvm::ArrayRef<mlir::Type> operands);

/// Adds `control.NAME` and `init.NAME` for the control and init functions of
/// `module`, which are func.func still; calls of the wrapped functions are
/// func.call.
void addWrappers(mlir::ModuleOp module);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_TOLLVM_H
