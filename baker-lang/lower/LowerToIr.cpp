#include "baker-lang/lower/LowerToIr.h"

#include "baker-lang/lower/ProgramLowering.h"
#include "support/Error.h"

#include "mlir/IR/Verifier.h"

namespace karakal::lang {

mlir::OwningOpRef<mlir::ModuleOp> lowerToIr(const Program &program,
                                            const SourceManager &sources,
                                            mlir::MLIRContext &context,
                                            const LoweringOptions &options) {
  KARAKAL_ASSERT(program.unparsedNames.empty(),
                 "lowering requires a program without errors");
  auto module = ProgramLowering(program, sources, context, options).run();
  KARAKAL_ASSERT(mlir::succeeded(mlir::verify(*module)),
                 "lowering made a module that does not verify");
  return module;
}

} // namespace karakal::lang
