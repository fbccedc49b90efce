// Timers that the compiler adds to a program.

#ifndef KARAKAL_IR_ANALYSIS_CORETIMERS_H
#define KARAKAL_IR_ANALYSIS_CORETIMERS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace karakal::ir {

/// Adds the timer `name`, which calls the runtime's function `calls` on the
/// XScale core every `intervalUs` microseconds. The module has no such name.
void addCoreTimer(mlir::ModuleOp module, llvm::StringRef name,
                  llvm::StringRef calls, uint64_t intervalUs);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_CORETIMERS_H
