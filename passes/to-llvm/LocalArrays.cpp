#include "passes/to-llvm/LocalArrays.h"

#include "ir/analysis/GlobalsEnd.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/LocalCsrs.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::passes {

namespace {

constexpr uint32_t bytesPerWord = 4, groupWords = ir::localGroupWords;
/// Reads a local CSR.
constexpr llvm::StringLiteral readCsrName = "__ixp_local_csr_rd";
/// The bit of ACTIVE_CTX_STS that tells the cluster. The bits of engine and
/// context are below it.
constexpr uint32_t clusterStatusBit = 1 << 7;

uint32_t wordsOf(ir::GlobalOp global) {
  return uint32_t(llvm::alignTo(ir::wordCount(global.getType()), groupWords));
}

/// Emits integer operations on words at one location.
struct Words {
  OpBuilder &builder;
  Location loc;

  Value constant(uint32_t value) { return constantWord(builder, loc, value); }
  Value masked(Value value, uint32_t mask) {
    return builder.create<LLVM::AndOp>(loc, value, constant(mask));
  }
};

/// Returns the number of this context among those that use `memory`.
Value copyNumber(ir::GlobalRefOp op, target::Memory memory, Words emit) {
  Value status =
      callRuntime(emit.builder, op, readCsrName, emit.builder.getI32Type(),
                  emit.constant(target::Csr_ACTIVE_CTX_STS));
  if (memory == target::Memory::Local)
    return emit.masked(status, target::ContextCount - 1);
  target::ChipParameters chip = ir::chipOf(op->getParentOfType<ModuleOp>());
  uint32_t clusterContexts =
      target::clusterEngineCount(chip) * target::ContextCount;
  KARAKAL_ASSERT(llvm::isPowerOf2_32(clusterContexts) &&
                     clusterContexts < clusterStatusBit,
                 "the contexts of a cluster are numbered by the low bits");
  Value inCluster = emit.masked(status, clusterContexts - 1);
  if (chip.meCount * target::ContextCount <= clusterContexts)
    return inCluster;
  Value shift =
      emit.constant(llvm::Log2_32(clusterStatusBit / clusterContexts));
  Value cluster = emit.builder.create<LLVM::LShrOp>(emit.loc, status, shift);
  return emit.builder.create<LLVM::OrOp>(emit.loc, inCluster,
                                         emit.masked(cluster, clusterContexts));
}

} // namespace

void joinLocalReferences(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::DenseMap<Operation *, ir::GlobalRefOp> firsts;
    function.walk([&](ir::GlobalRefOp op) {
      ir::GlobalOp global = ir::globalOf(op);
      if (!global || !ir::isLocal(global))
        return;
      auto [at, isNew] = firsts.try_emplace(global, op);
      if (isNew) {
        Operation *front = &function.getBody().front().front();
        if (op != front)
          op->moveBefore(front);
        return;
      }
      op.replaceAllUsesWith(at->second.getRef());
      op.erase();
    });
  }
}

FailureOr<Value> localAddress(ir::GlobalRefOp op, const ToLlvmContext &context,
                              ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  ir::GlobalOp global = ir::globalOf(op);
  Type i32 = rewriter.getI32Type();
  Words emit{rewriter, loc};
  if (context.core != ir::Core::Me) {
    Value place = rewriter.create<LLVM::AllocaOp>(
        loc, LLVM::LLVMPointerType::get(op.getContext()), i32,
        emit.constant(wordsOf(global)), bytesPerWord);
    if (context.isHost())
      return place;
    return Value(rewriter.create<LLVM::PtrToIntOp>(loc, i32, place));
  }
  std::optional<ir::Placement> at = ir::placementOf(global);
  std::optional<uint32_t> stride = ir::numberOf(global, ir::strideAttrName);
  if (!at || !stride)
    return op.emitError() << "the local variable @" << op.getGlobal()
                          << " has no placement: run baker-place-locals";
  Value offset =
      rewriter.create<LLVM::MulOp>(loc, copyNumber(op, at->memory, emit),
                                   emit.constant(*stride * bytesPerWord));
  Value first = emit.constant(target::commandAddress(at->memory, at->address));
  return Value(rewriter.create<LLVM::AddOp>(loc, offset, first));
}

} // namespace karakal::passes
