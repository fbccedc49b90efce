// Inlines what @karakal.batch calls.
//
//   func.call @second(%ph)   →   the body of @second, its returns branches
//
// Requires: no channel_put. Ensures: the remaining calls are of PPFs of the
// XScale core, of declarations, or beyond the size limit.

#include "codegen-x86/batch/Passes.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/Inlining.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Batches.h"
#include "mlir/Transforms/RegionUtils.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::x86 {

#define GEN_PASS_DEF_INLINEBATCH
#include "codegen-x86/batch/Passes.h.inc"

namespace {

class InlineBatch : public impl::InlineBatchBase<InlineBatch> {
public:
  using InlineBatchBase::InlineBatchBase;

private:
  void runOnOperation() override {
    auto batch =
        getOperation().lookupSymbol<func::FuncOp>(ir::batchFunctionName);
    if (!batch)
      return;
    inlineCalls(batch);
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, batch->getRegions());
  }

  /// Inlines the calls in `batch`, and those in what was inlined.
  void inlineCalls(func::FuncOp batch) {
    unsigned size = ir::countOperations(batch);
    SmallVector<func::CallOp> open;
    batch.walk([&](func::CallOp call) { open.push_back(call); });
    while (!open.empty()) {
      func::CallOp call = open.pop_back_val();
      auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      KARAKAL_ASSERT(callee && callee != batch, "calls are not recursive");
      if (callee.isDeclaration() || ir::coreOf(callee) == ir::Core::XScale)
        continue;
      unsigned body = ir::countOperations(callee);
      if (size + body > maxSize) {
        ir::explain(call, "batching")
            << "@" << callee.getSymName()
            << " stays a call, in which packets do not wait: " << size
            << " and " << body << " operations are more than "
            << maxSize.getValue();
        continue;
      }
      size += body;
      inlineBody(call, open);
    }
  }

  /// Inlines `call` and adds the calls of the body to `open`.
  void inlineBody(func::CallOp call, SmallVectorImpl<func::CallOp> &open) {
    Block *before = call->getBlock();
    Block *end = before->getNextNode();
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    ir::inlineBody(call, callee);
    Block *after = end ? end->getPrevNode() : &before->getParent()->back();
    for (Block *block = before->getNextNode(); block != after;
         block = block->getNextNode())
      for (auto inner : block->getOps<func::CallOp>())
        open.push_back(inner);
  }
};

} // namespace

} // namespace karakal::x86
