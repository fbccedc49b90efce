// Splits the function of a batch into stages.
//
//   @karakal.batch(%h)            @karakal.batch.stage0(%slot, %h)
//     A                             A; live values of B to arrays; wait for 1
//     call @karakal_cut(1)   →    @karakal.batch.stage1(%slot)
//     B                             live values from arrays; B
//
// Each stage is a copy of what packets reach from its cuts to the next ones.
// Values that are live at a cut become stack slots in the copies, which LLVM
// turns into registers again, so no copy needs new SSA form. Slots and arrays
// have the same numbers.
//
// Requires: calls of @karakal_cut with constant numbers, such that a stage with
// a lower number than another's runs before it, except within a loop of
// stages, whose numbers follow each other. Ensures: @karakal_x86_run_batch runs
// all packets of a batch to their end.

#include "codegen-x86/batch/Passes.h"
#include "codegen-x86/batch/StageFunctions.h"
#include "ir/dialect/Batches.h"
#include "mlir/Analysis/Liveness.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::x86 {

#define GEN_PASS_DEF_SPLITBATCHES
#include "codegen-x86/batch/Passes.h.inc"

namespace {

/// Copies constants to the blocks that use them, so that none is live at a cut.
void sinkConstants(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> constants;
  function.walk([&](Operation *op) {
    if (isa<LLVM::ConstantOp, LLVM::AddressOfOp, LLVM::ZeroOp, LLVM::UndefOp,
            LLVM::PoisonOp>(op))
      constants.push_back(op);
  });
  for (Operation *constant : constants) {
    llvm::DenseMap<Block *, Operation *> copies;
    for (OpOperand &use :
         llvm::make_early_inc_range(constant->getResult(0).getUses())) {
      Block *block = use.getOwner()->getBlock();
      if (block == constant->getBlock())
        continue;
      Operation *&copy = copies[block];
      if (!copy)
        copy = OpBuilder::atBlockBegin(block).clone(*constant);
      use.set(copy->getResult(0));
    }
  }
}

/// Moves local arrays from the stack, which a stage leaves, to globals. The
/// stages were chosen such that each array is used in one of them, which
/// handles one packet after another.
void moveArrays(ModuleOp module, LLVM::LLVMFuncOp batch) {
  SmallVector<LLVM::AllocaOp> arrays;
  batch.walk([&](LLVM::AllocaOp array) { arrays.push_back(array); });
  for (auto [number, array] : llvm::enumerate(arrays)) {
    auto size = array.getArraySize().getDefiningOp<LLVM::ConstantOp>();
    KARAKAL_ASSERT(size, "a local array has a constant size");
    uint64_t count =
        cast<IntegerAttr>(size.getValue()).getValue().getZExtValue();
    Type type = LLVM::LLVMArrayType::get(array.getElemType(), count);
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto global = top.create<LLVM::GlobalOp>(
        array.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
        "karakal.batch.array" + std::to_string(number), Attribute());
    top.createBlock(&global.getInitializerRegion());
    top.create<LLVM::ReturnOp>(array.getLoc(),
                               top.create<LLVM::ZeroOp>(array.getLoc(), type));
    OpBuilder here(array);
    array.replaceAllUsesWith(
        here.create<LLVM::AddressOfOp>(array.getLoc(), global).getResult());
    array.erase();
  }
}

class SplitBatches : public impl::SplitBatchesBase<SplitBatches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto batch = module.lookupSymbol<LLVM::LLVMFuncOp>(ir::batchFunctionName);
    if (!batch)
      return;
    std::vector<Cut> cuts = splitAtCuts(batch);
    if (!cuts.empty()) {
      moveArrays(module, batch);
      sinkConstants(batch);
      Liveness liveness(batch);
      std::vector<Value> values;
      llvm::DenseMap<Value, unsigned> numbers;
      for (Cut &cut : cuts)
        findLive(cut, liveness, values, numbers);
      StageFunctions(module, batch, std::move(cuts), values).make();
    }
    batch.erase();
    for (StringRef name : {ir::cutFunctionName, ir::cutLastFunctionName})
      if (Operation *declared = module.lookupSymbol(name))
        declared->erase();
  }

  /// Ends the block of each cut after its call.
  std::vector<Cut> splitAtCuts(LLVM::LLVMFuncOp batch) {
    std::vector<Cut> cuts;
    SmallVector<LLVM::CallOp> calls;
    batch.walk([&](LLVM::CallOp call) {
      if (call.getCallee() == ir::cutFunctionName ||
          call.getCallee() == ir::cutLastFunctionName)
        calls.push_back(call);
    });
    for (LLVM::CallOp call : calls) {
      Cut cut;
      cut.call = call;
      cut.stage = LastStage;
      if (call.getCallee() == ir::cutFunctionName) {
        auto constant = call.getOperand(0).getDefiningOp<LLVM::ConstantOp>();
        KARAKAL_ASSERT(constant, "the stage of a cut is a constant");
        cut.stage = unsigned(cast<IntegerAttr>(constant.getValue()).getInt());
      }
      Block *block = call->getBlock();
      cut.next = block->splitBlock(std::next(call->getIterator()));
      OpBuilder::atBlockEnd(block).create<LLVM::BrOp>(call.getLoc(), cut.next);
      cuts.push_back(cut);
    }
    return cuts;
  }

  /// Numbers the values that are live at `cut`, in the order of the text.
  void findLive(Cut &cut, Liveness &liveness, std::vector<Value> &values,
                llvm::DenseMap<Value, unsigned> &numbers) {
    auto live = liveness.getLiveIn(cut.next);
    auto add = [&](Value value) {
      if (!live.contains(value))
        return;
      auto [at, isNew] = numbers.try_emplace(value, values.size());
      if (isNew)
        values.push_back(value);
      cut.live.push_back(at->second);
    };
    for (Block &block : *cut.next->getParent()) {
      llvm::for_each(block.getArguments(), add);
      for (Operation &op : block)
        llvm::for_each(op.getResults(), add);
    }
  }
};

} // namespace

} // namespace karakal::x86
