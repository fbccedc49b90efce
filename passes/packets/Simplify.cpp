// Canonicalization that keeps the profile.
//
// MLIR's canonicalizer replaces branches and drops attributes that it does not
// know, such as the counts of the profile. This pass runs the same patterns
// with a listener that copies the counts.
//
// A select has the value that a branch shows it to have (KnownSelects.h).
//
// Requires: nothing. Ensures: the replacement of a branch has its counts.

#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"
#include "passes/packets/KnownSelects.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Passes.h.inc"

namespace {

/// Returns the counts of `from` in the order of the successors of `to`, which
/// replaces it; empty if they cannot be mapped.
SmallVector<int64_t> countsFor(cf::CondBranchOp to, cf::CondBranchOp from) {
  auto counts = llvm::to_vector(ir::branchCountsOf(from));
  KARAKAL_ASSERT(counts.size() == 2, "a count for each successor");
  bool isNegated = to.getCondition() != from.getCondition() &&
                   (to.getTrueDest() == from.getFalseDest() ||
                    to.getFalseDest() == from.getTrueDest());
  if (isNegated && from.getTrueDest() != from.getFalseDest())
    std::swap(counts[0], counts[1]);
  return counts;
}

/// As above. The counts of cases that `to` lacks are added to the default.
SmallVector<int64_t> countsFor(cf::SwitchOp to, cf::SwitchOp from) {
  ArrayRef<int64_t> old = ir::branchCountsOf(from);
  KARAKAL_ASSERT(old.size() == from->getNumSuccessors(),
                 "a count for each successor");
  SmallVector<int64_t> counts(to->getNumSuccessors());
  if (to.getFlag() != from.getFlag() || !from.getCaseValues())
    return {};
  counts[0] = old[0];
  for (auto [i, value] : llvm::enumerate(*from.getCaseValues())) {
    size_t at = 0;
    if (to.getCaseValues())
      for (auto [j, other] : llvm::enumerate(*to.getCaseValues()))
        if (other == value)
          at = j + 1;
    counts[at] += old[i + 1];
  }
  return counts;
}

/// Copies counts to new branches. The greedy driver notifies a listener of
/// insertions and erasures, but not of replacements. A branch ends its block,
/// so the branch before one that is erased has replaced it.
class KeepCounts : public RewriterBase::Listener {
public:
  void notifyOperationErased(Operation *op) override {
    Operation *before = op->getBlock() ? op->getPrevNode() : nullptr;
    if (ir::branchCountsOf(op).empty() || !before ||
        !ir::branchCountsOf(before).empty())
      return;
    SmallVector<int64_t> counts;
    if (auto to = dyn_cast<cf::CondBranchOp>(before))
      if (auto from = dyn_cast<cf::CondBranchOp>(op))
        counts = countsFor(to, from);
    if (auto to = dyn_cast<cf::SwitchOp>(before))
      if (auto from = dyn_cast<cf::SwitchOp>(op))
        counts = countsFor(to, from);
    if (!counts.empty())
      ir::setBranchCounts(before, counts);
  }
};

class Simplify : public impl::SimplifyBase<Simplify> {
public:
  using SimplifyBase::SimplifyBase;

private:
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    for (Dialect *dialect : getContext().getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, &getContext());
    KeepCounts listener;
    GreedyRewriteConfig config;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Normal;
    config.listener = &listener;
    // It does not matter whether this reaches a fixed point.
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                       config);
    for (auto function : getOperation().getOps<func::FuncOp>())
      useKnownSelects(function);
  }
};

} // namespace

} // namespace karakal::passes
