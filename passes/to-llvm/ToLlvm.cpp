// One core's program in the LLVM dialect.
//
// Upstream's patterns lower func, cf and arith; ToLlvmPackets.cpp and
// ToLlvmGlobals.cpp those of the baker dialect. A packet is its handle, an
// i32. Symbols go last: the code asks them while it is converted.
//
// Requires: see the pass's description. Ensures: LLVM dialect only.

#include "passes/to-llvm/ToLlvm.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Passes.h"
#include "passes/to-llvm/ToLlvmPatterns.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_TOLLVM
#include "passes/Passes.h.inc"

LLVM::LLVMFuncOp declareRuntime(ModuleOp module, StringRef name, Type result,
                                ArrayRef<Type> operands) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(
      module.getLoc(), name, LLVM::LLVMFunctionType::get(result, operands));
}

Value callRuntime(ConversionPatternRewriter &rewriter, Operation *op,
                  StringRef name, Type result, ValueRange operands) {
  Type type = result ? result : LLVM::LLVMVoidType::get(op->getContext());
  LLVM::LLVMFuncOp callee =
      declareRuntime(op->getParentOfType<ModuleOp>(), name, type,
                     llvm::to_vector(operands.getTypes()));
  auto call = rewriter.create<LLVM::CallOp>(op->getLoc(), callee, operands);
  return result ? call.getResult() : Value();
}

Value resize(OpBuilder &builder, Location loc, Value value, unsigned width) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  Type type = builder.getIntegerType(width);
  if (from < width)
    return builder.create<LLVM::ZExtOp>(loc, type, value);
  if (from > width)
    return builder.create<LLVM::TruncOp>(loc, type, value);
  return value;
}

static Value constant32(OpBuilder &builder, Location loc) {
  return builder.create<LLVM::ConstantOp>(loc, builder.getI64IntegerAttr(32));
}

Value highWord(OpBuilder &builder, Location loc, Value wide) {
  Value shifted =
      builder.create<LLVM::LShrOp>(loc, wide, constant32(builder, loc));
  return resize(builder, loc, shifted, wordBits);
}

Value joinWords(OpBuilder &builder, Location loc, Value high, Value low) {
  Value placed = builder.create<LLVM::ShlOp>(
      loc, resize(builder, loc, high, 64), constant32(builder, loc));
  return builder.create<LLVM::OrOp>(loc, placed, resize(builder, loc, low, 64));
}

namespace {

/// Removes the decisions on functions: LLVM's functions bear none.
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
/// have 32 bits. None is 0: LLVM's loop passes take that for no weight at all.
void convertBranchCounts(ModuleOp module) {
  auto convert = [](auto branch) {
    ArrayRef<int64_t> counts = ir::branchCountsOf(branch);
    if (counts.empty())
      return;
    int64_t largest = std::max<int64_t>(*llvm::max_element(counts), 1);
    SmallVector<int32_t> weights;
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

std::optional<LlvmTarget> parseTarget(StringRef name) {
  if (name == "me")
    return LlvmTarget::Me;
  if (name == "xscale")
    return LlvmTarget::XScale;
  if (name == "host")
    return LlvmTarget::Host;
  return std::nullopt;
}

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

  // Symbols stay until the code that asks them is converted.
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
                    ir::ChannelOp, ir::GlobalOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();

  RewritePatternSet symbols(&getContext());
  addSymbolPatterns(symbols, converter, context);
  LLVMConversionTarget noSymbols(getContext());
  noSymbols.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  return applyPartialConversion(module, noSymbols, std::move(symbols));
}

void ToLlvm::runOnOperation() {
  std::optional<LlvmTarget> which = parseTarget(target);
  if (!which) {
    getOperation().emitError()
        << "baker-to-llvm: target must be me, xscale or host, not '" << target
        << "'";
    return signalPassFailure();
  }
  if (*which != LlvmTarget::Me)
    addWrappers(getOperation());
  stripDecisions(getOperation());
  ToLlvmContext context{*which, primitiveCount, globalAccessCount,
                        resolvedCount};
  if (failed(convert(context)))
    return signalPassFailure();
  convertBranchCounts(getOperation());
  OpPassManager reconcile(ModuleOp::getOperationName());
  reconcile.addPass(createReconcileUnrealizedCastsPass());
  if (failed(runPipeline(reconcile, getOperation())))
    signalPassFailure();
}

} // namespace

} // namespace karakal::passes
