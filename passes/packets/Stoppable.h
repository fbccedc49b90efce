// Engines that can be asked to stop.

#ifndef KARAKAL_PASSES_PACKETS_STOPPABLE_H
#define KARAKAL_PASSES_PACKETS_STOPPABLE_H

#include "llvm/ADT/StringRef.h"

namespace karakal::passes {

/// On a module: a context that finds no message looks whether its engine is to
/// stop (target::EngineStopWord), and ends if so.
inline constexpr llvm::StringLiteral stoppableAttrName =
    "baker.engines.stoppable";

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_STOPPABLE_H
