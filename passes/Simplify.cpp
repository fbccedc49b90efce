//===- Simplify.cpp - canonical form, with the profile kept ---------------===//
//
// MLIR's canonicalizer makes new branches of old ones and leaves behind what
// it does not know, such as the counts that the profile gave them. Here the
// same patterns run under a listener that takes the counts along.
//
// Requires: nothing. Ensures: no branch loses its counts to a pattern.
//
//===----------------------------------------------------------------------===//

#include "ir/Profile.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Passes.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Passes.h.inc"

namespace {

class KeepCounts : public RewriterBase::Listener {
public:
  void notifyOperationReplaced(Operation *op, Operation *replacement) override {
    auto from = dyn_cast<cf::CondBranchOp>(op);
    auto to = dyn_cast<cf::CondBranchOp>(replacement);
    if (!from || !to || !ir::branchCountsOf(to).empty())
      return;
    auto counts = llvm::to_vector(ir::branchCountsOf(from));
    if (counts.size() != 2)
      return;
    bool isSwapped = from.getTrueDest() != from.getFalseDest() &&
                     (to.getTrueDest() == from.getFalseDest() ||
                      to.getFalseDest() == from.getTrueDest());
    if (isSwapped)
      std::swap(counts[0], counts[1]);
    ir::setBranchCounts(to, counts);
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
