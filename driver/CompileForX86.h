// Programs compiled ahead of time for x86: --target=x86.

#ifndef KARAKAL_DRIVER_COMPILEFORX86_H
#define KARAKAL_DRIVER_COMPILEFORX86_H

#include "driver/BakercOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"
#include <string>

namespace karakal::driver {

/// Writes the object, the C header or the executable of `baker`, a verified
/// module of the dialect, to `path`. Errors: E-driver-030 if the program cannot
/// be lowered, E-support-002 if the file cannot be written, those of
/// driver/LinkExecutable.h.
Status compileForX86(mlir::ModuleOp baker, const BakercOptions &options,
                     const std::string &path);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_COMPILEFORX86_H
