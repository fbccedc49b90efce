// Packet access combining.
//
// Many accesses of fields become few memory commands:
//
//   %dst = baker.packet_read %ph "dst"       %w:4 = baker.packet_load %ph at 0
//   %type = baker.packet_read %ph "type"     %dst, %type, %ttl = shifts and
//   …                                    →                       masks of %w
//   %ih = baker.packet_decap %ph, %c14       …
//   baker.packet_write %ttl, %ih "ttl"       baker.packet_store […] to %ih
//   baker.packet_send %ih ring 1                 at 8
//                                            baker.packet_send %ih ring 1
//
// PacUnroll unrolls loops over header arrays, PacLikelyIndices makes likely
// indices constant, and PacSpecialize copies paths on which a packet's head is
// known. PacPackets finds the accesses of the packets' bytes, PacPlan chooses
// the cheapest commands for them, and PacRewrite inserts these. PacGlobals and
// PacGlobalStores do the same for global data. docs/packet-access.md describes
// how few commands are possible.
//
// Section 5.3.1 of the paper. Requires: nothing; gains most after baker-inline.
// Ensures: the same behaviour. Cost: about linear in the program.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "passes/Passes.h"
#include "passes/pac/PacGlobals.h"
#include "passes/pac/PacLikelyIndices.h"
#include "passes/pac/PacRewrite.h"
#include "passes/pac/PacSpecialize.h"
#include "passes/pac/PacUnroll.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Mem2Reg.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_PAC
#include "passes/Passes.h.inc"

namespace {

using namespace pac;

class Pac : public impl::PacBase<Pac> {
public:
  using PacBase::PacBase;

private:
  void runOnOperation() override;
  unsigned combine(func::FuncOp function);
  void combineBytes(func::FuncOp function, Bytes bytes);
  bool combineAnchor(Anchor &anchor, func::FuncOp function,
                     DominanceInfo &dominance, const Frequencies &frequencies,
                     std::vector<Operation *> &slots);
};

bool Pac::combineAnchor(Anchor &anchor, func::FuncOp function,
                        DominanceInfo &dominance,
                        const Frequencies &frequencies,
                        std::vector<Operation *> &allocations) {
  unsigned reads = 0, writes = 0;
  for (auto &[block, events] : anchor.events)
    for (const Event &event : events) {
      reads += event.kind == Event::Read;
      writes += event.kind == Event::Write;
    }
  if (reads + writes == 0)
    return false;
  if (anchor.blocker) {
    ir::explain(anchor.blocker, "pac")
        << "accesses of the packet are not combined: the effect of this on "
           "the packet is not known";
    return false;
  }
  Plan plan = makePlan(anchor, dominance, frequencies);
  if (plan.blocker) {
    ir::explain(plan.blocker, "pac")
        << "accesses of the packet are not combined: the bytes of this cannot "
           "be read before a header is put in front";
    return false;
  }
  // One reason for each access that was not combined, because there are many
  // pairs.
  llvm::SmallPtrSet<Operation *, 8> explained;
  for (const Refusal &refusal : plan.refusals)
    if (explained.insert(refusal.other).second)
      ir::explain(refusal.other, "pac")
          << "not combined with the access at " << refusal.one->getLoc() << ": "
          << refusal.why;
  for (const PlannedLoad &load : plan.loads)
    ir::explain(load.before, "pac")
        << load.reads << " accesses read by one command of "
        << load.end - load.begin << " bytes";
  for (const PlannedStore &store : plan.stores)
    ir::explain(store.before, "pac")
        << store.end - store.begin << " bytes written by one command";
  Slots slots(anchor, function);
  rewrite(anchor, plan, slots);
  llvm::append_range(allocations, slots.allocations());
  return true;
}

void Pac::combineBytes(func::FuncOp function, Bytes bytes) {
  splitEdges(function, bytes);
  DominanceInfo dominance(function);
  Frequencies frequencies(function, dominance);
  std::vector<Operation *> allocations;
  for (Anchor &anchor : findAnchors(function, bytes))
    combineAnchor(anchor, function, dominance, frequencies, allocations);
  SmallVector<PromotableAllocationOpInterface> promotable;
  for (Operation *allocation : allocations)
    promotable.push_back(cast<PromotableAllocationOpInterface>(allocation));
  OpBuilder builder(&getContext());
  DataLayout layout = DataLayout::closest(function);
  if (!promotable.empty())
    (void)tryToPromoteMemorySlots(promotable, builder, layout, dominance);
}

/// Returns the operations of rare paths that are not copied.
unsigned Pac::combine(func::FuncOp function) {
  splitLikelyIndices(function);
  unsigned uncopied = specializePaths(function, {maxOperations, rareCopies});
  combineBytes(function, Bytes::Data);
  if (metadata)
    combineBytes(function, Bytes::Descriptor);
  DominanceInfo dominance(function);
  Frequencies frequencies(function, dominance);
  combineLoads(function, dominance, frequencies);
  combineStores(function);
  return uncopied;
}

void Pac::runOnOperation() {
  OpPassManager clean(ModuleOp::getOperationName());
  unsigned unrolled = 0;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isDeclaration())
      unrolled += unrollLoops(function);
  // Unrolled iterations without branches become one block, in which indices
  // fold.
  if (unrolled != 0)
    clean.addPass(createSimplify());
  clean.addPass(createCSEPass());
  if (failed(runPipeline(clean, getOperation())))
    return signalPassFailure();
  unsigned uncopied = 0;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isDeclaration())
      uncopied += combine(function);
  if (uncopied != 0)
    getOperation()->setAttr(
        ir::uncopiedAttrName,
        IntegerAttr::get(IntegerType::get(&getContext(), 32), uncopied));
}

} // namespace

} // namespace karakal::passes
