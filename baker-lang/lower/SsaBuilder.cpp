#include "baker-lang/lower/SsaBuilder.h"

#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace karakal::lang {

namespace {
/// An edge of the control-flow graph.
struct Edge {
  BranchOpInterface branch;
  unsigned successor;

  MutableOperandRange operands() {
    return branch.getSuccessorOperands(successor).getMutableForwardedOperands();
  }
};
} // namespace

static SmallVector<Edge> edgesInto(Block *block) {
  SmallVector<Edge> edges;
  for (auto it = block->pred_begin(), end = block->pred_end(); it != end; ++it)
    edges.push_back({cast<BranchOpInterface>((*it)->getTerminator()),
                     it.getSuccessorIndex()});
  return edges;
}

void SsaBuilder::write(Variable variable, Block *block, Value value) {
  KARAKAL_ASSERT(value, "a variable is set to no value");
  values[{variable, block}] = value;
}

Value SsaBuilder::read(Variable variable, Block *block, Type type) {
  // Go up through single predecessors in a loop instead of by recursion.
  SmallVector<Block *> passed;
  Value value;
  while (!value) {
    auto entry = values.find({variable, block});
    if (entry != values.end()) {
      value = entry->second;
      break;
    }
    passed.push_back(block);
    if (!sealed.contains(block)) {
      value = addArgument(variable, block, type);
      unfilled[block].push_back({variable, cast<BlockArgument>(value)});
    } else if (block->hasNoPredecessors()) {
      value = undefined(block, type);
    } else if (Block *predecessor = block->getSinglePredecessor()) {
      block = predecessor;
    } else {
      value = addArgument(variable, block, type);
      write(variable, block, value);
      fill(variable, cast<BlockArgument>(value));
    }
  }
  KARAKAL_ASSERT(value.getType() == type, "a variable changed its type");
  for (Block *each : passed)
    write(variable, each, value);
  return value;
}

Value SsaBuilder::addArgument(Variable variable, Block *block, Type type) {
  BlockArgument argument = block->addArgument(type, location);
  variables[argument] = variable;
  return argument;
}

void SsaBuilder::fill(Variable variable, BlockArgument argument) {
  Block *block = argument.getOwner();
  for (Edge edge : edgesInto(block)) {
    // Read first: reading may add operands to the same branch.
    Value value = read(variable, edge.branch->getBlock(), argument.getType());
    edge.operands().append(value);
  }
}

void SsaBuilder::seal(Block *block) {
  bool isNew = sealed.insert(block).second;
  KARAKAL_ASSERT(isNew, "a block is sealed once");
  for (auto &[variable, argument] : unfilled.lookup(block))
    fill(variable, argument);
  unfilled.erase(block);
}

Value SsaBuilder::undefined(Block *block, Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  if (type.isSignlessInteger())
    return builder.create<arith::ConstantOp>(location,
                                             builder.getIntegerAttr(type, 0));
  return builder
      .create<UnrealizedConversionCastOp>(location, type, ValueRange())
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

/// The only value that flows into `argument`, or null if there are several.
static Value onlyIncoming(BlockArgument argument) {
  Value only;
  for (Edge edge : edgesInto(argument.getOwner())) {
    OperandRange operands =
        edge.branch.getSuccessorOperands(edge.successor).getForwardedOperands();
    Value value = operands[argument.getArgNumber()];
    if (value == argument || value == only)
      continue;
    if (only)
      return {};
    only = value;
  }
  return only;
}

bool SsaBuilder::removeTrivialArguments(Block *block) {
  bool isChanged = false;
  for (unsigned i = block->getNumArguments(); i-- > 0;) {
    BlockArgument argument = block->getArgument(i);
    Value only = onlyIncoming(argument);
    if (!only)
      continue;
    argument.replaceAllUsesWith(only);
    for (Edge edge : edgesInto(block))
      edge.operands().erase(i);
    variables.erase(argument);
    block->eraseArgument(i);
    isChanged = true;
  }
  return isChanged;
}

/// Merges `block` with its only successor, if that has no other predecessor.
static bool mergeWithSuccessor(Block *block) {
  auto branch = dyn_cast<cf::BranchOp>(block->getTerminator());
  if (!branch)
    return false;
  Block *next = branch.getDest();
  if (next == block || next->getSinglePredecessor() != block ||
      next->isEntryBlock())
    return false;
  for (auto [argument, value] :
       llvm::zip_equal(next->getArguments(), branch.getDestOperands()))
    argument.replaceAllUsesWith(value);
  branch.erase();
  block->getOperations().splice(block->end(), next->getOperations());
  next->erase();
  return true;
}

void SsaBuilder::finish(Region &region, ForArgument keep) {
  for (Block &block : region)
    KARAKAL_ASSERT(sealed.contains(&block), "a block was not sealed");
  KARAKAL_ASSERT(unfilled.empty(), "a block argument has no incoming values");
  IRRewriter rewriter(region.getContext());
  (void)eraseUnreachableBlocks(rewriter, region);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Block &block : llvm::drop_begin(region))
      isChanged |= removeTrivialArguments(&block);
  }
  for (Block &block : region)
    for (BlockArgument argument : block.getArguments())
      if (auto found = variables.find(argument); found != variables.end())
        keep(found->second, argument);
  for (auto it = region.begin(); it != region.end(); ++it)
    while (mergeWithSuccessor(&*it))
      ;
}

} // namespace karakal::lang
