// How many packets come to each PPF, where no profile tells it.

#ifndef KARAKAL_PASSES_MEMORY_PACKETSHARES_H
#define KARAKAL_PASSES_MEMORY_PACKETSHARES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace karakal::passes {

/// Packets per packet received, by the PPF.
using PacketShares = llvm::DenseMap<mlir::Operation *, double>;

/// Sends the packets of each PPF in equal parts over its channels, but none to
/// PPFs that the source marks as cold. In a cycle of channels they go round a
/// bounded number of times. Cost: linear in the channels.
PacketShares packetShares(mlir::ModuleOp module);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_MEMORY_PACKETSHARES_H
