// One run of the compiler.
//
// Reads, profiles and plans the program, makes the code of each core and writes
// the result. Nothing is written unless everything succeeded.

#ifndef KARAKAL_DRIVER_COMPILE_H
#define KARAKAL_DRIVER_COMPILE_H

#include "driver/BakercOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"

namespace karakal::driver {

/// Compiles or runs the program as the options say. An error with an empty
/// message has been printed already.
Status compile(const BakercOptions &options);

/// Gives tables their structures, and packs arrays of narrow numbers.
/// `--emit=baker` without a profile shows the program as it is declared.
Status layOutData(mlir::ModuleOp program, const Options &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_COMPILE_H
