// Copies of a set of blocks.

#ifndef KARAKAL_PASSES_PAC_CLONEBLOCKS_H
#define KARAKAL_PASSES_PAC_CLONEBLOCKS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace karakal::passes::pac {

/// Clones `blocks`, all of which `entry` reaches and dominates, before `entry`,
/// and fills `map` from the originals to the copies. Edges and values outside
/// of `blocks` stay.
void cloneBlocks(const llvm::SetVector<mlir::Block *> &blocks,
                 mlir::Block *entry, mlir::IRMapping &map);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_CLONEBLOCKS_H
