// The end of the globals in a memory.

#ifndef KARAKAL_IR_ANALYSIS_GLOBALSEND_H
#define KARAKAL_IR_ANALYSIS_GLOBALSEND_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/Memories.h"

namespace karakal::ir {

/// Returns the address of the first byte of `memory` after all globals that are
/// placed there.
uint32_t globalsEnd(mlir::ModuleOp module, target::Memory memory);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_GLOBALSEND_H
