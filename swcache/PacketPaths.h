// What a packet reads and writes on its way through the PPFs.
//
// A packet that reads a cached global may get an old value. That is what
// delayed update means, but two things must not follow: a packet must see what
// it has written itself, and it must not write what it has computed from an old
// value, or an update is lost. Both can happen across PPFs, because metadata
// and headers carry values along.

#ifndef KARAKAL_SWCACHE_PACKETPATHS_H
#define KARAKAL_SWCACHE_PACKETPATHS_H

#include "ir/dialect/Attributes.h"

#include "llvm/ADT/DenseSet.h"

namespace karakal::swcache {

/// Globals by their operations.
using GlobalSet = llvm::DenseSet<mlir::Operation *>;

/// Returns the globals that a packet may both write and read by a load that a
/// cache could serve, one after the other in either order: in one PPF, or in
/// PPFs that channels connect. PPFs on the XScale core read no caches.
GlobalSet findWrittenAndRead(mlir::ModuleOp module);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_PACKETPATHS_H
