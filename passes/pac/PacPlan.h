// Which commands serve which accesses.

#ifndef KARAKAL_PASSES_PAC_PACPLAN_H
#define KARAKAL_PASSES_PAC_PACPLAN_H

#include "passes/pac/PacPackets.h"

#include "mlir/IR/Dominance.h"

namespace karakal::passes::pac {

/// How often each block of a function runs for a run of its entry: as profiled;
/// without a profile equal shares for the ways of a branch, except that few
/// packets are dropped, and eight rounds of a loop.
class Frequencies {
public:
  Frequencies(mlir::func::FuncOp function, mlir::DominanceInfo &dominance);
  double of(mlir::Block *block) const { return frequency.lookup(block); }

private:
  llvm::DenseMap<mlir::Block *, double> frequency;
};

/// What is known of the bits of an anchor at a place. Of bits, not of bytes:
/// fields that fill a byte together need nothing of what it held.
struct BitState {
  llvm::BitVector dirty;    ///< perhaps written, and not in memory yet
  llvm::BitVector assigned; ///< written on every path since the anchor
};

/// Forward data flow of BitState over the blocks that the anchor dominates.
class BitFlow {
public:
  BitFlow(const Anchor &anchor, mlir::DominanceInfo &dominance);

  BitState before(mlir::Operation *op) const;
  /// Whether `block` ends with bits written that another way to its only
  /// successor leaves as they are.
  bool joinsUnwritten(mlir::Block *block) const;

private:
  BitState entering(mlir::Block *block) const;
  void apply(BitState &state, const Event &event) const;

  const Anchor &anchor;
  mlir::Block *start;
  llvm::DenseMap<mlir::Block *, BitState> leaving;
};

/// A `packet_load` to be made in front of `before`.
struct PlannedLoad {
  mlir::Operation *before;
  mlir::Value handle;   ///< current there
  int32_t begin, end;   ///< bytes relative to the anchor
  llvm::BitVector kept; ///< bits written before, which the load must leave
  unsigned reads;       ///< accesses served
};

/// A `packet_store` to be made in front of `before`.
struct PlannedStore {
  mlir::Operation *before;
  mlir::Value handle;
  int32_t begin, end;
  llvm::BitVector written; ///< bytes to write, gaps included
};

/// Why two accesses are not served by one command.
struct Refusal {
  mlir::Operation *one, *other;
  const char *why;
};

struct Plan {
  /// Not null: no plan is possible, because of this access.
  mlir::Operation *blocker = nullptr;
  /// Of all commands: frequency × cycles of the memory.
  double cost = 0;
  std::vector<Refusal> refusals;
  std::vector<PlannedLoad> loads;
  std::vector<PlannedStore> stores;
};

/// The cheapest commands for the accesses of `anchor`. Where a way that writes
/// joins one that does not, a flush is added at its end if that is cheaper than
/// to write behind the join.
Plan makePlan(Anchor &anchor, mlir::DominanceInfo &dominance,
              const Frequencies &frequencies);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACPLAN_H
