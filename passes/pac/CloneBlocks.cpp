#include "passes/pac/CloneBlocks.h"

#include "support/Assert.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace karakal::passes::pac {

void cloneBlocks(const llvm::SetVector<Block *> &blocks, Block *entry,
                 IRMapping &map) {
  KARAKAL_ASSERT(blocks.contains(entry), "the entry is one of the blocks");
  OpBuilder builder(entry->getParentOp()->getContext());
  for (Block *block : blocks) {
    Block *made = builder.createBlock(entry);
    map.map(block, made);
    for (BlockArgument argument : block->getArguments())
      map.map(argument,
              made->addArgument(argument.getType(), argument.getLoc()));
  }
  // Clone definitions before uses: a block of a loop may use values of a later
  // one.
  llvm::ReversePostOrderTraversal<Block *> order(entry);
  size_t cloned = 0;
  for (Block *block : order) {
    if (!blocks.contains(block))
      continue;
    builder.setInsertionPointToEnd(map.lookup(block));
    for (Operation &op : *block)
      builder.clone(op, map);
    ++cloned;
  }
  KARAKAL_ASSERT(cloned == blocks.size(), "the entry reaches all blocks");
}

} // namespace karakal::passes::pac
