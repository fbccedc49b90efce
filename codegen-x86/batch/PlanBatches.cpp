// Chooses where the packets of a batch wait for each other.
//
// A load that misses the cache costs as much as a hundred instructions. If all
// packets of a batch come to such a load before the first one uses its value,
// and each prefetches its line on the way, their misses overlap.
//
//   %e = baker.element %table[%i]        the same, then
//   %v = baker.load %e              →    baker.cut stage 1 prefetch %e
//                                        %v = baker.load %e
//
// StagePlan keeps what packets share in order. Requires: the output of
// baker-inline-batch. Ensures: stages are numbered so that ways back exist only
// within a loop of stages.

#include "codegen-x86/batch/Passes.h"
#include "codegen-x86/batch/StagePlan.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/Layout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "support/Assert.h"
#include <random>

using namespace mlir;

namespace karakal::x86 {

#define GEN_PASS_DEF_PLANBATCHES
#include "codegen-x86/batch/Passes.h.inc"

namespace {

/// Returns the reference that a load reads, or null.
Value loadedRef(Operation *op) {
  if (auto load = dyn_cast<ir::LoadOp>(op))
    return load.getRef();
  if (auto load = dyn_cast<ir::LoadWordsOp>(op))
    return load.getRef();
  return {};
}

bool isConstant(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

/// Returns the innermost element that a reference is a part of and whose index
/// is no constant, or the global.
Value elementOf(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (auto field = dyn_cast<ir::FieldOp>(op))
      ref = field.getRecord();
    else if (auto element = dyn_cast<ir::ElementOp>(op);
             element && isConstant(element.getIndex()))
      ref = element.getArray();
    else
      break;
  }
  return ref;
}

/// Returns the index that the check of an array's bounds takes.
Value withoutCheck(Value index) {
  auto least = index.getDefiningOp<arith::MinUIOp>();
  return least && isConstant(least.getRhs()) ? least.getLhs() : index;
}

/// Adds the values that `value` can be: what branches pass to a block argument.
void addSources(Value value, llvm::SmallSetVector<Value, 8> &sources,
                llvm::SmallPtrSetImpl<Block *> &seen) {
  value = withoutCheck(value);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->isEntryBlock()) {
    sources.insert(value);
    return;
  }
  Block *block = argument.getOwner();
  if (!seen.insert(block).second)
    return;
  for (auto at = block->pred_begin(); at != block->pred_end(); ++at) {
    auto branch = cast<BranchOpInterface>((*at)->getTerminator());
    Value passed = branch.getSuccessorOperands(
        at.getSuccessorIndex())[argument.getArgNumber()];
    addSources(passed, sources, seen);
  }
}

/// The elements that loads have read, by global.
class ReadElements {
public:
  /// Notes that `load` reads an element; whether an earlier load has read it on
  /// each path, except for those of constant elements.
  bool readAgain(Operation *load, Value ref, DominanceInfo &dominance) {
    Value element = elementOf(ref);
    auto &indices = read[ir::globalOf(ref)];
    auto op = element.getDefiningOp<ir::ElementOp>();
    llvm::SmallSetVector<Value, 8> sources;
    llvm::SmallPtrSet<Block *, 8> seen;
    addSources(op ? op.getIndex() : element, sources, seen);
    bool isThere = llvm::all_of(sources, [&](Value source) {
      auto at = indices.find(source);
      return isConstant(source) ||
             (at != indices.end() &&
              (sources.size() > 1 || dominance.dominates(at->second, load)));
    });
    for (Value source : sources)
      indices.try_emplace(source, load);
    return isThere;
  }

private:
  llvm::DenseMap<Operation *, llvm::DenseMap<Value, Operation *>> read;
};

class PlanBatches : public impl::PlanBatchesBase<PlanBatches> {
public:
  using PlanBatchesBase::PlanBatchesBase;

private:
  void runOnOperation() override;
  SmallVector<Operation *> findLoads(func::FuncOp batch);
  bool isLarge(Operation *load);
  void makeCuts(const StagePlan &plan);
  void explain(StagePlan &plan, ArrayRef<Operation *> loads,
               const Effects &effects);
};

bool PlanBatches::isLarge(Operation *load) {
  ir::GlobalOp global = ir::globalOf(loadedRef(load));
  if (!globals.empty())
    return global && llvm::is_contained(globals, global.getSymName());
  return global &&
         sizeof(uint32_t) * ir::wordCount(global.getType()) >= minBytes;
}

/// Returns the loads that are worth a cut.
SmallVector<Operation *> PlanBatches::findLoads(func::FuncOp batch) {
  SmallVector<Operation *> found;
  if (seed != 0) {
    std::mt19937_64 random(seed);
    batch.walk([&](Operation *op) {
      if (loadedRef(op) && random() % 2 == 0)
        found.push_back(op);
    });
    return found;
  }
  DominanceInfo dominance(batch);
  ReadElements read;
  batch.walk([&](Operation *op) {
    if (!loadedRef(op) || !isLarge(op))
      return;
    if (!read.readAgain(op, loadedRef(op), dominance))
      found.push_back(op);
  });
  return found;
}

/// From the first word of an element of an array the bytes to its last one, if
/// these may lie in two lines; else nothing.
IntegerAttr secondLine(Value ref) {
  constexpr uint64_t lineBytes = 64;
  auto element = elementOf(ref).getDefiningOp<ir::ElementOp>();
  if (!element)
    return {};
  uint64_t bytes =
      sizeof(uint32_t) *
      ir::wordCount(cast<ir::RefType>(element.getType()).getPointee());
  if (bytes > lineBytes || lineBytes % bytes == 0)
    return {};
  return Builder(ref.getContext())
      .getI32IntegerAttr(int32_t(bytes - sizeof(uint32_t)));
}

void PlanBatches::makeCuts(const StagePlan &plan) {
  for (auto [index, load] : llvm::enumerate(plan.cuts())) {
    OpBuilder builder(load);
    Value ref = loadedRef(load);
    builder.create<ir::CutOp>(load->getLoc(),
                              builder.getI32IntegerAttr(int32_t(index) + 1),
                              ref, secondLine(ref));
    ++cutCount;
  }
  for (Operation *op : plan.last()) {
    OpBuilder builder(op);
    Value ref = loadedRef(op);
    builder.create<ir::CutOp>(op->getLoc(), IntegerAttr(),
                              ref && isLarge(op) ? ref : Value(),
                              IntegerAttr());
  }
}

void PlanBatches::explain(StagePlan &plan, ArrayRef<Operation *> loads,
                          const Effects &effects) {
  for (Operation *load : loads) {
    ir::GlobalOp global = ir::globalOf(loadedRef(load));
    std::string name = global ? global.getSymName().str() : "?";
    uint64_t bytes =
        global ? sizeof(uint32_t) * ir::wordCount(global.getType()) : 0;
    if (std::string why = plan.whyNot(load); !why.empty()) {
      ir::explain(load, "batching")
          << "packets do not wait at the load of @" << name << ": " << why;
      continue;
    }
    ir::explain(load, "batching")
        << "packets wait at the load of @" << name << ", stage "
        << (llvm::find(plan.cuts(), load) - plan.cuts().begin() + 1) << ": "
        << bytes << " bytes are likely to miss the cache";
  }
  for (const auto &[resource, why] : plan.ordered())
    if (resource != OrderResource)
      ir::explain(getOperation(), "batching")
          << "the accesses of " << effects.nameOf(resource)
          << " are in the last stage: " << why;
}

void PlanBatches::runOnOperation() {
  auto batch = getOperation().lookupSymbol<func::FuncOp>(ir::batchFunctionName);
  if (!batch)
    return;
  SmallVector<Operation *> loads = findLoads(batch);
  Effects effects(getOperation());
  StagePlan plan(batch, effects, loads);
  explain(plan, loads, effects);
  if (plan.cuts().empty()) {
    ir::explain(batch, "batching")
        << "packets run one after the other: no load is worth waiting for";
    return batch.erase();
  }
  makeCuts(plan);
  KARAKAL_ASSERT(batch.walk([](ir::CutOp) { return WalkResult::interrupt(); })
                     .wasInterrupted(),
                 "a plan has cuts");
}

} // namespace

} // namespace karakal::x86
