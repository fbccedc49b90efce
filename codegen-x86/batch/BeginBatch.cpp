// The function that a batch of packets runs through.
//
//   baker.channel @rx … to @first    adds @karakal.batch, a copy of @first
//   baker.channel @a.learn_cc … to @learn {baker.via = #baker.via<ring>}
//                                    marks @learn with baker.batch.queued
//
// Requires: `baker.via` on channels. Ensures: @karakal.batch, unless the XScale
// core takes the packets of Rx or nobody does.

#include "codegen-x86/batch/Passes.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Batches.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::x86 {

#define GEN_PASS_DEF_BEGINBATCH
#include "codegen-x86/batch/Passes.h.inc"

namespace {

class BeginBatch : public impl::BeginBatchBase<BeginBatch> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    KARAKAL_ASSERT(!module.lookupSymbol(ir::batchFunctionName),
                   "a program has one batch function");
    for (auto channel : module.getOps<ir::ChannelOp>()) {
      auto consumer = module.lookupSymbol<func::FuncOp>(channel.getConsumer());
      if (!consumer)
        continue; // tx
      if (channel.comesFromRx())
        copy(consumer);
      else if (ir::viaOf(channel) != ir::Via::Call)
        consumer->setAttr(ir::queuedAttrName, UnitAttr::get(&getContext()));
    }
  }

  void copy(func::FuncOp first) {
    if (ir::coreOf(first) == ir::Core::XScale)
      return;
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto batch = cast<func::FuncOp>(builder.clone(*first));
    batch.setSymName(ir::batchFunctionName);
  }
};

} // namespace

} // namespace karakal::x86
