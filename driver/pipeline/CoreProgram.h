// The program of one core as LLVM IR.

#ifndef KARAKAL_DRIVER_PIPELINE_COREPROGRAM_H
#define KARAKAL_DRIVER_PIPELINE_COREPROGRAM_H

#include "driver/pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace karakal::driver {

/// A module and the context that owns it.
struct CoreProgram {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  /// Operations of rare paths that baker-pac had no leave to copy.
  unsigned uncopied = 0;
};

/// Runs the passes for `core` over a copy of `program` and returns the copy in
/// the LLVM dialect. Errors: those of the passes.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
lowerToLlvm(mlir::ModuleOp program, ir::Core core,
            const PipelineOptions &options);

/// Makes the LLVM IR of one core's program, not linked with the runtime.
/// Errors: those of the passes.
Result<CoreProgram> makeCoreProgram(mlir::ModuleOp program, ir::Core core,
                                    const PipelineOptions &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_COREPROGRAM_H
