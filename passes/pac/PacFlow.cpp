// The frequencies of blocks, and the dataflow of the state of bits.

#include "ir/dialect/ProfileAttributes.h"
#include "passes/pac/PacPlan.h"
#include "support/Assert.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace karakal::passes::pac {

//===----------------------------------------------------------------------===//
// Frequencies
//===----------------------------------------------------------------------===//

namespace {

constexpr double loopIterations = 8;
/// How much likelier a path is that does not drop the packet.
constexpr double otherWeight = 9;

bool drops(Block *block) {
  for (Operation &op : *block)
    if (isa<ir::PacketDropOp>(op))
      return true;
  return false;
}

/// Returns the blocks of each loop, with its header, by header.
llvm::MapVector<Block *, llvm::DenseSet<Block *>>
findLoops(func::FuncOp function, DominanceInfo &dominance) {
  llvm::MapVector<Block *, llvm::DenseSet<Block *>> loops;
  for (Block &block : function.getBody()) {
    for (Block *header : block.getSuccessors()) {
      if (!dominance.dominates(header, &block))
        continue;
      llvm::DenseSet<Block *> &body = loops[header];
      body.insert(header);
      SmallVector<Block *> work = {&block};
      while (!work.empty()) {
        Block *member = work.pop_back_val();
        if (body.insert(member).second)
          llvm::append_range(work, member->getPredecessors());
      }
    }
  }
  return loops;
}

} // namespace

Frequencies::Frequencies(func::FuncOp function, DominanceInfo &dominance) {
  auto loops = findLoops(function, dominance);
  frequency[&function.getBody().front()] = 1;
  llvm::ReversePostOrderTraversal<Region *> blocks(&function.getBody());
  for (Block *block : blocks) {
    auto loop = loops.find(block);
    if (loop != loops.end())
      frequency[block] *= loopIterations;
    KARAKAL_ASSERT(frequency[block] >= 0, "a frequency is not negative");
    double total = 0;
    Operation *branch = block->getTerminator();
    // Counts of a branch that was never reached say nothing.
    bool isProfiled = llvm::any_of(ir::branchCountsOf(branch),
                                   [](int64_t count) { return count != 0; });
    auto weight = [&](unsigned index) {
      if (isProfiled)
        return ir::branchProbability(branch, index);
      return drops(branch->getSuccessor(index)) ? 1 : otherWeight;
    };
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
      total += weight(i);
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      Block *target = branch->getSuccessor(i);
      if (dominance.dominates(target, block))
        continue;
      double share = frequency[block] * weight(i) / total;
      for (auto &[header, body] : loops)
        if (body.contains(block) && !body.contains(target))
          share /= loopIterations;
      frequency[target] += share;
    }
  }
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void BitFlow::apply(BitState &state, const Event &event) const {
  switch (event.kind) {
  case Event::Read:
    return;
  case Event::Write:
    KARAKAL_ASSERT(event.width != 0, "a write has bits");
    anchor.window.addBits(state.dirty, event.bit, event.bitEnd());
    anchor.window.addBits(state.assigned, event.bit, event.bitEnd());
    return;
  case Event::Flush:
  case Event::Drop:
    state.dirty.reset();
    return;
  }
}

BitState BitFlow::entering(Block *block) const {
  BitState state{anchor.window.noBits(), anchor.window.noBits()};
  if (block == start) {
    if (anchor.isZero && anchor.window.high > 0)
      anchor.window.addBits(state.assigned, 8 * std::max(anchor.window.low, 0),
                            8 * anchor.window.high);
    return state;
  }
  state.assigned.set();
  for (Block *pred : block->getPredecessors()) {
    auto left = leaving.find(pred);
    if (left == leaving.end())
      continue;
    state.dirty |= left->second.dirty;
    state.assigned &= left->second.assigned;
  }
  return state;
}

BitFlow::BitFlow(const Anchor &anchor, DominanceInfo &dominance)
    : anchor(anchor), start(Value(anchor.value).getParentBlock()) {
  SmallVector<Block *> blocks;
  llvm::ReversePostOrderTraversal<Region *> all(start->getParent());
  for (Block *block : all)
    if (dominance.dominates(start, block))
      blocks.push_back(block);
  bool changed = true;
  while (changed) {
    changed = false;
    for (Block *block : blocks) {
      BitState state = entering(block);
      if (auto events = anchor.events.find(block);
          events != anchor.events.end())
        for (const Event &event : events->second)
          apply(state, event);
      auto [left, isNew] = leaving.try_emplace(block, state);
      if (!isNew && left->second.dirty == state.dirty &&
          left->second.assigned == state.assigned)
        continue;
      left->second = state;
      changed = true;
    }
  }
}

bool BitFlow::meetsUnwritten(Block *block) const {
  auto left = leaving.find(block);
  if (left == leaving.end() || block->getNumSuccessors() != 1 ||
      !leaving.contains(block->getSuccessor(0)))
    return false;
  llvm::BitVector partly = left->second.dirty;
  partly.reset(entering(block->getSuccessor(0)).assigned);
  return partly.any();
}

BitState BitFlow::before(Operation *op) const {
  Block *block = op->getBlock();
  BitState state = entering(block);
  if (auto events = anchor.events.find(block); events != anchor.events.end())
    for (const Event &event : events->second) {
      // isBeforeInBlock fails for the only operation of a block.
      if (event.op == op || !event.op->isBeforeInBlock(op))
        break;
      apply(state, event);
    }
  return state;
}

} // namespace karakal::passes::pac
