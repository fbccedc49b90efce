// Lowers one core's program to the LLVM dialect.
//
// MLIR's patterns lower the func, cf and arith dialects. The patterns of
// ToLlvmPatterns.h lower the baker dialect. A packet becomes its handle, an
// i32. Symbols are lowered last because the other patterns look them up.
//
// Requires: see the description of the pass. Ensures: LLVM dialect only.

#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Tables.h"
#include "ir/dialect/Target.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Passes.h"
#include "passes/to-llvm/LocalArrays.h"
#include "passes/to-llvm/ToLlvmPatterns.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_TOLLVM
#include "passes/Passes.h.inc"

namespace {

/// Removes the attributes of the baker dialect from functions.
void stripDecisions(ModuleOp module) {
  auto isOurs = [](NamedAttribute attribute) {
    return attribute.getName().getValue().starts_with("baker.");
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    for (NamedAttribute attribute : llvm::to_vector(function->getAttrs()))
      if (isOurs(attribute))
        function->removeAttr(attribute.getName());
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
  }
}

/// Turns the profile's counts on branches into LLVM's branch weights, which
/// have 32 bits. No weight is 0: LLVM's loop passes treat that as no weights.
void convertBranchCounts(ModuleOp module) {
  auto convert = [](auto branch) {
    ArrayRef<int64_t> counts = ir::branchCountsOf(branch);
    if (counts.empty())
      return;
    int64_t largest = std::max<int64_t>(*llvm::max_element(counts), 1);
    SmallVector<int32_t> weights;
    KARAKAL_ASSERT(counts.size() == branch->getNumSuccessors(),
                   "a count for each successor of a branch");
    for (int64_t count : counts)
      weights.push_back(
          std::max(int32_t(double(count) / double(largest) * 1e6), 1));
    bool isReached = llvm::any_of(counts, [](int64_t n) { return n != 0; });
    branch->removeAttr(ir::branchAttrName);
    if (isReached)
      branch.setBranchWeights(weights);
  };
  module.walk([&](LLVM::CondBrOp branch) { convert(branch); });
  module.walk([&](LLVM::SwitchOp branch) { convert(branch); });
}

class ToLlvm : public impl::ToLlvmBase<ToLlvm> {
public:
  using ToLlvmBase::ToLlvmBase;

private:
  void runOnOperation() override;
  LogicalResult convert(ToLlvmContext &context);
};

LogicalResult ToLlvm::convert(ToLlvmContext &context) {
  ModuleOp module = getOperation();
  LowerToLLVMOptions options(&getContext());
  options.overrideIndexBitwidth(context.isHost() ? 64 : 32);
  LLVMTypeConverter converter(&getContext(), options);
  converter.addConversion([](ir::PacketType type) -> Type {
    return IntegerType::get(type.getContext(), wordBits);
  });
  bool isHost = context.isHost();
  converter.addConversion([isHost](ir::RefType type) -> Type {
    if (isHost)
      return LLVM::LLVMPointerType::get(type.getContext());
    return IntegerType::get(type.getContext(), wordBits);
  });

  // Symbols stay until the code that looks them up is converted.
  RewritePatternSet patterns(&getContext());
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  addPacketPatterns(patterns, converter, context);
  addAccessPatterns(patterns, converter, context);
  addHeadPatterns(patterns, converter, context);
  addGlobalPatterns(patterns, converter, context);
  addServicePatterns(patterns, converter, context);
  LLVMConversionTarget target(getContext());
  target.addLegalOp<ModuleOp>();
  target.addLegalOp<ir::ProtocolOp, ir::MetadataOp, ir::DropReasonOp,
                    ir::ChannelOp, ir::GlobalOp, ir::TableOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();

  RewritePatternSet symbols(&getContext());
  addSymbolPatterns(symbols, converter, context);
  LLVMConversionTarget noSymbols(getContext());
  noSymbols.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  return applyPartialConversion(module, noSymbols, std::move(symbols));
}

void ToLlvm::runOnOperation() {
  if (core != ir::Core::Me)
    addWrappers(getOperation());
  if (core != ir::Core::Me)
    joinLocalReferences(getOperation());
  stripDecisions(getOperation());
  ToLlvmContext context{core};
  if (failed(convert(context)))
    return signalPassFailure();
  getOperation()->removeAttr(ir::targetAttrName);
  convertBranchCounts(getOperation());
  OpPassManager reconcile(ModuleOp::getOperationName());
  reconcile.addPass(createReconcileUnrealizedCastsPass());
  if (failed(runPipeline(reconcile, getOperation())))
    return signalPassFailure();
  getOperation().walk([&](Operation *op) {
    KARAKAL_ASSERT(op == getOperation() ||
                       isa<LLVM::LLVMDialect>(op->getDialect()) ||
                       isa<ir::VariableOp>(op), // LineScopes.cpp
                   "only the LLVM dialect remains, not " +
                       op->getName().getStringRef().str());
  });
}

} // namespace

} // namespace karakal::passes
