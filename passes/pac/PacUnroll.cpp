// Unrolling of loops over header arrays.
//
// An element of a header array at a variable index needs a command of its own:
// the words that a command reads are in registers, which have no index. If the
// number of iterations is constant, each iteration gets a copy of the loop's
// body, in which the index is a constant:
//
//   ^head(%i, %sum):                       ^head0: list[0], br ^head1
//     cf.cond_br (%i < 4), ^body, ^end  →  ^head1: list[1], br ^head2
//   ^body: … list[%i] …                    …
//     cf.br ^head(%i + 1, …)               ^head4: br ^end
//
// Simplification then folds the indices. Loops with further exits besides their
// first condition are unrolled, too: the exit edges are copied.
//
// Section 5.3.1 of the paper needs constant distances; unrolling makes them.

#include "passes/pac/PacUnroll.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Baker.h"
#include "passes/pac/CloneBlocks.h"
#include "passes/pac/PacPlan.h"
#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace karakal::passes::pac {

namespace {

constexpr unsigned iterationsMax = 16;
/// The most operations of an unrolled loop.
constexpr unsigned operationsMax = 600;

/// A loop whose first block decides whether another iteration follows.
struct CountedLoop {
  Block *header = nullptr, *latch = nullptr, *exit = nullptr;
  llvm::SetVector<Block *> blocks;
  bool isStayTrue = true; ///< another iteration if the condition is true
  unsigned iterations = 0;
};

ir::PacketReadOp variableRead(const llvm::SetVector<Block *> &blocks) {
  for (Block *block : blocks)
    for (auto read : block->getOps<ir::PacketReadOp>())
      if (read.getIndex() && !matchPattern(read.getIndex(), m_Constant()))
        return read;
  return nullptr;
}

/// Returns the value that `branch` passes for argument `index` of `to`, if all
/// its edges to that block pass the same.
Value passed(Operation *branch, Block *to, unsigned index) {
  Value found;
  auto edges = dyn_cast<BranchOpInterface>(branch);
  for (unsigned i = 0; edges && i < branch->getNumSuccessors(); ++i) {
    if (branch->getSuccessor(i) != to)
      continue;
    Value operand = edges.getSuccessorOperands(i)[index];
    if (!operand || (found && found != operand))
      return {};
    found = operand;
  }
  return found;
}

/// Returns the iterations of a loop whose header compares its argument with a
/// constant and whose latch adds a constant to it; 0 for any other loop.
unsigned countIterations(const CountedLoop &loop) {
  auto branch = cast<cf::CondBranchOp>(loop.header->getTerminator());
  auto test = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt bound, step, value;
  if (!test || !matchPattern(test.getRhs(), m_ConstantInt(&bound)))
    return 0;
  auto counter = dyn_cast<BlockArgument>(test.getLhs());
  if (!counter || counter.getOwner() != loop.header)
    return 0;
  unsigned index = counter.getArgNumber();
  Value next = passed(loop.latch->getTerminator(), loop.header, index);
  auto add = next ? next.getDefiningOp<arith::AddIOp>() : nullptr;
  if (!add || add.getLhs() != counter ||
      !matchPattern(add.getRhs(), m_ConstantInt(&step)))
    return 0;
  Value start;
  for (Block *pred : loop.header->getPredecessors()) {
    if (pred == loop.latch)
      continue;
    Value first = passed(pred->getTerminator(), loop.header, index);
    if (!first || (start && start != first))
      return 0;
    start = first;
  }
  if (!start || !matchPattern(start, m_ConstantInt(&value)))
    return 0;
  for (unsigned count = 0; count <= iterationsMax; ++count, value += step)
    if (arith::applyCmpPredicate(test.getPredicate(), value, bound) !=
        loop.isStayTrue)
      return count;
  return 0;
}

/// Whether an operation after the loop that the exit does not dominate uses a
/// value of the loop.
bool hasUseBesidesExit(const CountedLoop &loop, DominanceInfo &dominance) {
  auto isBesides = [&](Operation *user) {
    return !loop.blocks.contains(user->getBlock()) &&
           !dominance.dominates(loop.exit, user->getBlock());
  };
  auto isUsed = [&](Value value) {
    return llvm::any_of(value.getUsers(), isBesides);
  };
  return llvm::any_of(loop.blocks, [&](Block *block) {
    return llvm::any_of(block->getArguments(), isUsed) ||
           llvm::any_of(*block, [&](Operation &op) {
             return llvm::any_of(op.getResults(), isUsed);
           });
  });
}

/// Adds the blocks that are reached only from the loop and not by its exit:
/// each iteration gets its own copy.
void addTails(CountedLoop &loop) {
  for (size_t i = 0; i < loop.blocks.size(); ++i) // the list grows
    for (Block *next : loop.blocks[i]->getSuccessors())
      if (next != loop.exit &&
          llvm::all_of(next->getPredecessors(),
                       [&](Block *pred) { return loop.blocks.contains(pred); }))
        loop.blocks.insert(next);
}

/// Makes the values of the loop that are used outside of it arguments of the
/// exit. Returns false if that is not possible.
bool closeExit(CountedLoop &loop) {
  SmallVector<Value> needed;
  for (Block *block : loop.blocks) {
    auto add = [&](Value value) {
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            return !loop.blocks.contains(user->getBlock());
          }))
        needed.push_back(value);
    };
    llvm::for_each(block->getArguments(), add);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), add);
  }
  if (needed.empty())
    return true;
  if (!loop.exit->getSinglePredecessor() ||
      llvm::any_of(needed, [&](Value value) {
        return value.getParentBlock() != loop.header;
      }))
    return false;
  auto branch = cast<cf::CondBranchOp>(loop.header->getTerminator());
  MutableOperandRange operands = loop.isStayTrue
                                     ? branch.getFalseDestOperandsMutable()
                                     : branch.getTrueDestOperandsMutable();
  for (Value value : needed) {
    Value argument = loop.exit->addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(argument, [&](OpOperand &use) {
      return !loop.blocks.contains(use.getOwner()->getBlock());
    });
    operands.append(value);
  }
  return true;
}

llvm::SetVector<Block *> blocksOf(Block *header, Block *latch) {
  llvm::SetVector<Block *> blocks;
  blocks.insert(header);
  SmallVector<Block *> work = {latch};
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (blocks.insert(block))
      llvm::append_range(work, block->getPredecessors());
  }
  return blocks;
}

bool hasLoopInside(Block *header, const llvm::SetVector<Block *> &blocks,
                   DominanceInfo &dominance) {
  return llvm::any_of(blocks, [&](Block *block) {
    return llvm::any_of(block->getSuccessors(), [&](Block *next) {
      return next != header && blocks.contains(next) &&
             dominance.dominates(next, block);
    });
  });
}

/// Returns the loop of a back edge if it can be unrolled. Explains why not if
/// the loop reads a header array.
std::optional<CountedLoop> findLoop(Block *header, Block *latch,
                                    llvm::SetVector<Block *> blocks,
                                    DominanceInfo &dominance) {
  CountedLoop loop;
  loop.header = header;
  loop.latch = latch;
  loop.blocks = std::move(blocks);
  auto read = variableRead(loop.blocks);
  if (!read)
    return std::nullopt;
  auto refuse = [&](const std::string &why) {
    ir::explain(read, "pac") << "the loop around it is not unrolled: " << why;
    return std::nullopt;
  };
  auto branch = dyn_cast<cf::CondBranchOp>(header->getTerminator());
  if (!branch || header == latch ||
      llvm::count_if(header->getPredecessors(), [&](Block *pred) {
        return loop.blocks.contains(pred);
      }) != 1)
    return refuse("its iterations are not counted at its start");
  loop.isStayTrue = loop.blocks.contains(branch.getTrueDest());
  loop.exit = loop.isStayTrue ? branch.getFalseDest() : branch.getTrueDest();
  if (loop.blocks.contains(loop.exit))
    return refuse("its iterations are not counted at its start");
  loop.iterations = countIterations(loop);
  if (loop.iterations == 0)
    return refuse("its number of iterations is not a constant of at most " +
                  std::to_string(iterationsMax));
  if (hasUseBesidesExit(loop, dominance)) {
    addTails(loop);
    if (hasUseBesidesExit(loop, dominance))
      return refuse(
          "a path that leaves it early uses its values and meets its exit");
  }
  size_t size = 0;
  for (Block *block : loop.blocks)
    size += block->getOperations().size();
  if (size * loop.iterations > operationsMax)
    return refuse("its iterations would be " +
                  std::to_string(size * loop.iterations) + " operations");
  return loop;
}

/// Inserts a copy of the loop's blocks before the header. Returns its first
/// block.
Block *copyIteration(const CountedLoop &loop, Block *next) {
  IRMapping map;
  cloneBlocks(loop.blocks, loop.header, map);
  Block *first = map.lookup(loop.header);
  Operation *back = map.lookup(loop.latch)->getTerminator();
  for (unsigned i = 0; i < back->getNumSuccessors(); ++i)
    if (back->getSuccessor(i) == first)
      back->setSuccessor(next, i);
  // Another iteration always follows.
  auto branch = cast<cf::CondBranchOp>(first->getTerminator());
  OpBuilder builder(branch);
  bool isTrue = loop.isStayTrue;
  builder.create<cf::BranchOp>(
      branch.getLoc(), isTrue ? branch.getTrueDest() : branch.getFalseDest(),
      isTrue ? branch.getTrueDestOperands() : branch.getFalseDestOperands());
  branch.erase();
  return first;
}

void unroll(const CountedLoop &loop) {
  KARAKAL_ASSERT(loop.iterations != 0 && loop.exit,
                 "a loop with a constant number of iterations");
  // The rest of the loop is its end: no iteration follows.
  Block *next = loop.header;
  SmallVector<Block *> entries;
  for (Block *pred : loop.header->getPredecessors())
    if (!loop.blocks.contains(pred))
      entries.push_back(pred);
  KARAKAL_ASSERT(!entries.empty(), "a loop is entered from outside");
  for (unsigned i = 0; i < loop.iterations; ++i)
    next = copyIteration(loop, next);
  for (Block *entry : entries) {
    Operation *branch = entry->getTerminator();
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
      if (branch->getSuccessor(i) == loop.header)
        branch->setSuccessor(next, i);
  }
  auto branch = cast<cf::CondBranchOp>(loop.header->getTerminator());
  OpBuilder builder(branch);
  bool isTrue = !loop.isStayTrue;
  builder.create<cf::BranchOp>(branch.getLoc(), loop.exit,
                               isTrue ? branch.getTrueDestOperands()
                                      : branch.getFalseDestOperands());
  branch.erase();
}

} // namespace

unsigned unrollLoops(func::FuncOp function) {
  unsigned count = 0;
  llvm::DenseSet<Block *> seen;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    DominanceInfo dominance(function);
    for (Block &latch : function.getBody()) {
      for (Block *header : latch.getSuccessors()) {
        if (isChanged || !dominance.dominates(header, &latch))
          continue;
        llvm::SetVector<Block *> blocks = blocksOf(header, &latch);
        if (hasLoopInside(header, blocks, dominance) ||
            !seen.insert(header).second)
          continue;
        std::optional<CountedLoop> loop =
            findLoop(header, &latch, std::move(blocks), dominance);
        if (!loop || !closeExit(*loop))
          continue;
        ir::explain(header->getTerminator(), "pac")
            << "unrolled, " << loop->iterations
            << " iterations: a header array has a constant index in each";
        unroll(*loop);
        ++count;
        isChanged = true;
      }
      if (isChanged)
        break;
    }
  }
  return count;
}

} // namespace karakal::passes::pac
