// What tools know about functions of the runtime besides their names.

#ifndef KARAKAL_TARGET_IXP_CHIP_RUNTIMEFUNCTIONS_H
#define KARAKAL_TARGET_IXP_CHIP_RUNTIMEFUNCTIONS_H

#include "target-ixp/chip/RuntimeNames.h"

namespace karakal::target::runtime {

/// The functions that wait for a lock and take it.
inline constexpr const char *TakeLock[] = {Lock, LockLocal, LockSram};

/// The attribute of a runtime function in LLVM IR that says where its file
/// defines it, "file:line". It is the source line of code without another.
inline constexpr const char *SourceAttribute = "karakal-source";

} // namespace karakal::target::runtime

#endif // KARAKAL_TARGET_IXP_CHIP_RUNTIMEFUNCTIONS_H
