// One core's program as LLVM IR.

#ifndef KARAKAL_DRIVER_PIPELINE_COREPROGRAM_H
#define KARAKAL_DRIVER_PIPELINE_COREPROGRAM_H

#include "driver/pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace karakal::driver {

/// A module with the context that it lives in.
struct CoreProgram {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// A copy of `program` in the LLVM dialect, for `core`.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
lowerToLlvm(mlir::ModuleOp program, ir::Core core,
            const PipelineOptions &options);

/// The program of one core, not yet linked with the runtime.
Result<CoreProgram> makeCoreProgram(mlir::ModuleOp program, ir::Core core,
                                    const PipelineOptions &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_COREPROGRAM_H
