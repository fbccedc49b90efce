// The plan of commands that serve the accesses of a packet.

#ifndef KARAKAL_PASSES_PAC_PACPLAN_H
#define KARAKAL_PASSES_PAC_PACPLAN_H

#include "passes/pac/PacPackets.h"

#include "mlir/IR/Dominance.h"

namespace karakal::passes::pac {

/// How often each block of a function executes per execution of its entry. The
/// numbers come from the profile. Without a profile the successors of a branch
/// have equal shares, but few packets are dropped; a loop has eight iterations.
class Frequencies {
public:
  Frequencies(mlir::func::FuncOp function, mlir::DominanceInfo &dominance);
  double of(mlir::Block *block) const { return frequency.lookup(block); }

private:
  llvm::DenseMap<mlir::Block *, double> frequency;
};

/// The state of the bits of an anchor at a point of the program. It is kept by
/// bit, because fields that fill a byte together need not read its old value.
struct BitState {
  llvm::BitVector dirty;    ///< may be written and not in memory yet
  llvm::BitVector assigned; ///< written on every path since the anchor
};

/// Forward dataflow of BitState over the blocks that the anchor dominates.
class BitFlow {
public:
  BitFlow(const Anchor &anchor, mlir::DominanceInfo &dominance);

  BitState before(mlir::Operation *op) const;
  /// Whether bits are dirty at the end of `block` that are not on another path
  /// to its only successor.
  bool meetsUnwritten(mlir::Block *block) const;

private:
  BitState entering(mlir::Block *block) const;
  void apply(BitState &state, const Event &event) const;

  const Anchor &anchor;
  mlir::Block *start;
  llvm::DenseMap<mlir::Block *, BitState> leaving;
};

/// A `packet_load` to insert before `before`.
struct PlannedLoad {
  mlir::Operation *before;
  mlir::Value handle; ///< current there
  int32_t begin, end; ///< bytes relative to the anchor
  llvm::BitVector
      written;    ///< bits written before, which the load must not replace
  unsigned reads; ///< accesses served
};

/// A `packet_store` to insert before `before`.
struct PlannedStore {
  mlir::Operation *before;
  mlir::Value handle;
  int32_t begin, end;
  llvm::BitVector written; ///< bytes to write, gaps included
};

/// The reason why one command cannot serve two accesses.
struct Refusal {
  mlir::Operation *one, *other;
  const char *why;
};

struct Plan {
  /// If not null, no plan is possible because of this access.
  mlir::Operation *blocker = nullptr;
  /// The sum over all commands of frequency × cycles of the memory.
  double cost = 0;
  std::vector<Refusal> refusals;
  std::vector<PlannedLoad> loads;
  std::vector<PlannedStore> stores;
};

/// Returns the cheapest commands for the accesses of `anchor`. Where a path
/// that writes meets one that does not, it adds a flush at the end of the
/// former if that costs less than a write after the meet.
Plan makePlan(Anchor &anchor, mlir::DominanceInfo &dominance,
              const Frequencies &frequencies);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACPLAN_H
