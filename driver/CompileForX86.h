// Programs compiled ahead of time for x86: --target=x86.

#ifndef KARAKAL_DRIVER_COMPILEFORX86_H
#define KARAKAL_DRIVER_COMPILEFORX86_H

#include "driver/pipeline/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"
#include <string>

namespace karakal::driver {

/// Writes the object or the C header of `baker`, a verified module of the
/// dialect, to `path`. Errors: E-driver-030 if the program cannot be lowered,
/// E-support-002 if the file cannot be written.
Status compileForX86(mlir::ModuleOp baker, Emit form, const std::string &path);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_COMPILEFORX86_H
