// The end of the globals in a memory.

#ifndef KARAKAL_IR_ANALYSIS_GLOBALSEND_H
#define KARAKAL_IR_ANALYSIS_GLOBALSEND_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/Memories.h"

namespace karakal::ir {

/// Returns the address of the first byte of `memory` after all globals that are
/// placed there.
uint32_t globalsEnd(mlir::ModuleOp module, target::Memory memory);

/// A local variable in memory takes a multiple of these words, which one
/// command sets to zero.
inline constexpr uint32_t localGroupWords = 8;

/// Returns the number of copies that `memory` holds of a local variable in
/// memory (`baker.local`): one for each context that uses the memory.
uint32_t copiesOfLocal(mlir::ModuleOp module, target::Memory memory);

/// Returns the words from the first to the last of a placed global, with all
/// copies if it is a local variable.
uint64_t placedWords(GlobalOp global);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_GLOBALSEND_H
