// Copies of paths on which the head is known.
//
// Where handles with different heads meet (after a loop that removes labels, or
// after an optional header), all later accesses are at unknown offsets, and the
// bytes read before cannot be used. So an edge on which the head is known gets
// a copy of everything that follows:
//
//   ^head(%ph):  // entered with head 142, and again from ^body
//     …                                   →   entered as ^head'(%ph), whose
//   ^body: … cf.br ^head(%inner)              copy of ^body goes on to ^head
//
// For a loop this peels its first iteration. The copy extends to the end of the
// packet. Only edges that enough packets take are copied, and in the code of
// rare packets each block once.
//
// The paper's section 5.3.2 needs the head on each path; the copies make it
// constant there.

#include "passes/pac/PacSpecialize.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Batches.h"
#include "passes/pac/CloneBlocks.h"
#include "support/Assert.h"
#include "target-ixp/chip/RuntimeNames.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace karakal::passes::pac {

namespace {

/// The least share of packets on an edge that is copied.
constexpr double shareMin = 0.02;

/// An edge into a block where handles meet.
struct Edge {
  Block *from, *to;
  unsigned index; ///< of the successor
  double frequency;
};

/// Marks become no code, so they do not count.
bool isCode(Operation &op) { return !isa<ir::ChannelMarkOp>(op); }

unsigned countOperations(func::FuncOp function) {
  unsigned count = 0;
  function.walk([&](Operation *op) { count += isCode(*op); });
  return count;
}

/// Returns the blocks that execute after `start` without going back before it.
llvm::SetVector<Block *> regionAfter(Block *start, DominanceInfo &dominance) {
  llvm::SetVector<Block *> region;
  region.insert(start);
  for (size_t i = 0; i < region.size(); ++i)
    for (Block *next : region[i]->getSuccessors())
      if (next == start || !dominance.dominates(next, start))
        region.insert(next);
  return region;
}

bool touchesPackets(Block *block) {
  for (Operation &op : *block)
    if (isa<ir::PacketReadOp, ir::PacketWriteOp>(op))
      return true;
  return false;
}

class Specializer {
public:
  Specializer(func::FuncOp function, CopyLimits limits)
      : function(function),
        isRare(function.getName() == target::runtime::ContextEntry),
        operationsMax(isRare ? countOperations(function) + limits.rareCopies
                             : limits.operations) {}

  unsigned run();

private:
  std::optional<Edge> findEdge(DominanceInfo &dominance);
  bool isKnown(AnchorOffset place) const {
    return place.anchor && headOf(place.anchor);
  }
  bool copy(const Edge &edge, DominanceInfo &dominance);

  func::FuncOp function;
  /// Whether the function takes the packets of rare PPFs.
  bool isRare;
  unsigned operationsMax;
  /// Operations of the paths that would make more.
  unsigned uncopied = 0;
  llvm::DenseSet<std::pair<Block *, unsigned>> refused;
  llvm::DenseSet<Block *> copied;
};

/// Returns the most frequent edge with a known head to a block where handles
/// meet.
std::optional<Edge> Specializer::findEdge(DominanceInfo &dominance) {
  AnchorOffsets offsets(function, Bytes::Data);
  Frequencies frequencies(function, dominance);
  std::optional<Edge> best;
  for (Block &block : function.getBody()) {
    if (block.isEntryBlock())
      continue;
    for (BlockArgument argument : block.getArguments()) {
      if (!isa<ir::PacketType>(argument.getType()) ||
          offsets.of(argument).anchor != argument)
        continue;
      for (auto pred = block.pred_begin(); pred != block.pred_end(); ++pred) {
        auto branch = dyn_cast<BranchOpInterface>((*pred)->getTerminator());
        unsigned index = pred.getSuccessorIndex();
        if (!branch || refused.contains({*pred, index}))
          continue;
        Value passed =
            branch.getSuccessorOperands(index)[argument.getArgNumber()];
        AnchorOffset offset = offsets.of(passed);
        if (!isKnown(offset))
          continue;
        double frequency =
            frequencies.of(*pred) / double((*pred)->getNumSuccessors());
        double entered = frequencies.of(offset.anchor.getParentBlock());
        if (frequency < shareMin * entered ||
            (best && frequency <= best->frequency))
          continue;
        best = Edge{*pred, &block, index, frequency};
      }
    }
  }
  return best;
}

bool Specializer::copy(const Edge &edge, DominanceInfo &dominance) {
  llvm::SetVector<Block *> region = regionAfter(edge.to, dominance);
  unsigned size = 0;
  for (Block *block : region)
    size += llvm::count_if(*block, isCode);
  Operation *branch = edge.from->getTerminator();
  if (llvm::none_of(region, touchesPackets) ||
      (isRare && copied.contains(edge.to)))
    return false;
  if (countOperations(function) + size > operationsMax) {
    ir::explain(branch, "pac")
        << "handles with different heads meet, and the known one gets no path "
           "of its own: its "
        << size << " operations would make more than " << operationsMax;
    uncopied += size;
    return false;
  }
  ir::explain(branch, "pac")
      << "a path of its own for a known head: " << size << " operations";
  IRMapping map;
  cloneBlocks(region, edge.to, map);
  // An edge back to the start of the copy goes to the original.
  Block *first = map.lookup(edge.to);
  for (Block *block : region) {
    Operation *end = map.lookup(block)->getTerminator();
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
      if (end->getSuccessor(i) == first)
        end->setSuccessor(edge.to, i);
  }
  KARAKAL_ASSERT(branch->getSuccessor(edge.index) == edge.to,
                 "the edge goes to the copied block");
  branch->setSuccessor(first, edge.index);
  copied.insert(edge.to);
  return true;
}

unsigned Specializer::run() {
  while (true) {
    DominanceInfo dominance(function);
    std::optional<Edge> edge = findEdge(dominance);
    if (!edge)
      return isRare ? uncopied : 0;
    if (!copy(*edge, dominance))
      refused.insert({edge->from, edge->index});
  }
}

} // namespace

unsigned specializePaths(func::FuncOp function, CopyLimits limits) {
  return Specializer(function, limits).run();
}

} // namespace karakal::passes::pac
