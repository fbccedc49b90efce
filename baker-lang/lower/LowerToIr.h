// Lowers a checked program to the baker dialect.

#ifndef KARAKAL_BAKER_LANG_LOWER_LOWERTOIR_H
#define KARAKAL_BAKER_LANG_LOWER_LOWERTOIR_H

#include "baker-lang/lower/LoweringOptions.h"
#include "support/SourceFiles.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace karakal::lang {

struct Program;

/// The program as a verified module of the baker dialect. Requires that
/// parseAndCheck, or parseLibraryText, found no errors. Loads the dialects that
/// it needs into `context`.
mlir::OwningOpRef<mlir::ModuleOp>
lowerToIr(const Program &program, const SourceManager &sources,
          mlir::MLIRContext &context, const LoweringOptions &options = {});

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_LOWERTOIR_H
