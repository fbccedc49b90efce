// Engines that can be asked to stop.

#ifndef KARAKAL_PASSES_PACKETS_STOPPABLE_H
#define KARAKAL_PASSES_PACKETS_STOPPABLE_H

#include "llvm/ADT/StringRef.h"

namespace karakal::passes {

/// Set on a module: a context that finds no message reads
/// target::EngineStopWord, and ends if its engine must stop.
inline constexpr llvm::StringLiteral stoppableAttrName =
    "baker.engines.stoppable";

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_STOPPABLE_H
