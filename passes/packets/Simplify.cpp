// Canonical form, with the profile kept.
//
// MLIR's canonicalizer makes new branches of old ones and leaves behind what
// it does not know, such as the counts that the profile gave them. Here the
// same patterns run under a listener that takes the counts along.
//
// Requires: nothing. Ensures: no branch loses its counts to a pattern.

#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Passes.h.inc"

namespace {

/// The counts of `from` in the order of the successors of `to`, which a pattern
/// made of it; empty if they do not tell.
SmallVector<int64_t> countsFor(cf::CondBranchOp to, cf::CondBranchOp from) {
  auto counts = llvm::to_vector(ir::branchCountsOf(from));
  bool isNegated = to.getCondition() != from.getCondition() &&
                   (to.getTrueDest() == from.getFalseDest() ||
                    to.getFalseDest() == from.getTrueDest());
  if (isNegated && from.getTrueDest() != from.getFalseDest())
    std::swap(counts[0], counts[1]);
  return counts;
}

/// Cases that a pattern leaves out go to the default.
SmallVector<int64_t> countsFor(cf::SwitchOp to, cf::SwitchOp from) {
  ArrayRef<int64_t> old = ir::branchCountsOf(from);
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

/// The greedy driver tells a listener of what is made and what is erased, not
/// of what takes whose place. A branch ends its block: one that stands in front
/// of a branch to be erased has replaced it.
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
    // Whether it comes to an end within its rounds does not matter.
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                       config);
  }
};

} // namespace

} // namespace karakal::passes
