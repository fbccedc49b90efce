// From input files to the baker dialect.

#ifndef KARAKAL_DRIVER_READPROGRAM_H
#define KARAKAL_DRIVER_READPROGRAM_H

#include "driver/pipeline/Options.h"
#include "driver/pipeline/Remark.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"

namespace karakal::driver {

/// Registers the compiler's dialects in `context` and prints its diagnostics to
/// standard error in one format. Explanations are printed only if `--explain`
/// asks for them. With a report, all of them go to `remarks`, each once.
void prepareContext(mlir::MLIRContext &context, const Options &options,
                    std::vector<Remark> &remarks);

/// Reads the program of the input files, verifies it and names it after the
/// first file. Prints the errors and then returns an error with an empty
/// message.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
readProgram(const Options &options, mlir::MLIRContext &context);

/// The chip of the command line, which has checked it.
target::ChipParameters chipOf(const Options &options);

/// Returns the checked syntax tree as text.
Result<std::string> readSyntaxTree(const Options &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_READPROGRAM_H
