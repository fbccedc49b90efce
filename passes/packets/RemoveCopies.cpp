// Removes copies of which one of the two packets is only dropped.
//
// A copy costs a buffer, and a read and a write of the packet. If one of the
// two packets is dropped on every path after the copy and has no other use, the
// other one can be the packet itself:
//
//   %copy = baker.packet_copy %ph              (nothing)
//   baker.packet_drop %ph reason @old     →    call @baker_count_drop(%number)
//   baker.packet_send %copy ring 1 id 0        baker.packet_send %ph ring 1 id
//   0
//
// The drop is still counted under its reason.
//
// Section 5.3.3 of the paper. Requires: nothing; best after baker-inline and
// before baker-pac, which treats a copy as another packet. Ensures: the same
// behaviour. Cost: linear in the uses of copied packets.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "passes/Passes.h"
#include "passes/packets/CoreFunctions.h"
#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/DepthFirstIterator.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_REMOVECOPIES
#include "passes/Passes.h.inc"

namespace {

class RemoveCopies : public impl::RemoveCopiesBase<RemoveCopies> {
public:
  using RemoveCopiesBase::RemoveCopiesBase;

private:
  void runOnOperation() override;
  SmallVector<ir::PacketDropOp> onlyDrops(Value packet, ir::PacketCopyOp copy,
                                          DominanceInfo &dominance);
  void replaceByCount(ir::PacketDropOp drop);
};

/// Whether `block` can execute again after itself.
bool isInLoop(Block *block) {
  return llvm::any_of(block->getSuccessors(), [&](Block *successor) {
    return llvm::is_contained(llvm::depth_first(successor), block);
  });
}

/// Returns the drops of `packet` after the copy, or nothing if it has another
/// use there. A packet has one owner, so each path has one of the drops.
SmallVector<ir::PacketDropOp>
RemoveCopies::onlyDrops(Value packet, ir::PacketCopyOp copy,
                        DominanceInfo &dominance) {
  SmallVector<ir::PacketDropOp> drops;
  for (Operation *user : packet.getUsers()) {
    if (user == copy || dominance.properlyDominates(user, copy))
      continue;
    auto drop = dyn_cast<ir::PacketDropOp>(user);
    if (!drop || !dominance.properlyDominates(copy.getOperation(), drop) ||
        (drop->getBlock() != copy->getBlock() && isInLoop(copy->getBlock())))
      return {};
    drops.push_back(drop);
  }
  return drops;
}

void RemoveCopies::replaceByCount(ir::PacketDropOp drop) {
  OpBuilder builder(drop);
  Value number = builder.create<arith::ConstantIntOp>(
      drop.getLoc(), ir::dropReasonNumber(drop), 32);
  builder.create<func::CallOp>(
      drop.getLoc(),
      runtimeFunction(getOperation(), target::runtime::CountDrop, 1, 0),
      number);
  drop.erase();
}

void RemoveCopies::runOnOperation() {
  DominanceInfo dominance(getOperation());
  SmallVector<ir::PacketCopyOp> copies;
  getOperation().walk([&](ir::PacketCopyOp copy) { copies.push_back(copy); });
  for (ir::PacketCopyOp copy : copies) {
    auto drops = onlyDrops(copy.getPacket(), copy, dominance);
    if (drops.empty())
      drops = onlyDrops(copy.getCopy(), copy, dominance);
    if (drops.empty()) {
      ir::explain(copy, "remove-copies")
          << "the copy stays: both packets are used";
      continue;
    }
    ir::explain(copy, "remove-copies")
        << "no copy: one of the two packets is dropped at "
        << drops.front().getLoc();
    for (ir::PacketDropOp drop : drops)
      replaceByCount(drop);
    KARAKAL_ASSERT(copy.getCopy().getType() == copy.getPacket().getType(),
                   "a copy has the type of its packet");
    copy.getCopy().replaceAllUsesWith(copy.getPacket());
    copy.erase();
  }
}

} // namespace

} // namespace karakal::passes
