// Where a memory's globals end.

#ifndef KARAKAL_IR_ANALYSIS_GLOBALSEND_H
#define KARAKAL_IR_ANALYSIS_GLOBALSEND_H

#include "ir/dialect/Baker.h"

namespace karakal::ir {

/// The first byte of `memory` (as in `baker.place`) behind all globals that
/// have a place there.
uint32_t globalsEnd(mlir::ModuleOp module, llvm::StringRef memory);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_GLOBALSEND_H
