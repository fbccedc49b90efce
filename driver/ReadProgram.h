// From input files to the baker dialect.

#ifndef KARAKAL_DRIVER_READPROGRAM_H
#define KARAKAL_DRIVER_READPROGRAM_H

#include "driver/pipeline/Options.h"
#include "driver/pipeline/Remark.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Error.h"

namespace karakal::driver {

/// Makes the dialects of the compiler known to `context`, and prints its
/// diagnostics to standard error in one form: explanations as far as they are
/// asked for. With a report all of them go to `remarks`, each once.
void prepareContext(mlir::MLIRContext &context, const Options &options,
                    std::vector<Remark> &remarks);

/// The program of the input files, verified and named after the first file.
/// What is wrong is printed; the error then says only that there was something
/// (its message is empty).
Result<mlir::OwningOpRef<mlir::ModuleOp>>
readProgram(const Options &options, mlir::MLIRContext &context);

/// The checked syntax tree as text.
Result<std::string> readSyntaxTree(const Options &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_READPROGRAM_H
