// The points at which a PPF can be cut in two.

#include "aggregation/split/PpfCut.h"
#include "aggregation/model/PpfCost.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "support/Error.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include <algorithm>
#include <set>

using namespace mlir;

namespace karakal::agg {

namespace {

/// Instructions for crossing a cut: a message on a ring, and each word of the
/// descriptor that is written and read.
constexpr double messageCost = 24, slotCost = 10;
constexpr unsigned entriesMax = 8;

/// A quantity at each point between two operations. It is added to ranges and
/// summed at the end.
class Levels {
public:
  explicit Levels(size_t count) : changes(count + 1, 0) {}
  /// Adds at the points after operation `from`, up to operation `to`.
  void add(size_t from, size_t to, double value) {
    changes[from + 1] += value;
    changes[to + 1] -= value;
  }
  std::vector<double> sums() const {
    std::vector<double> all;
    double sum = 0;
    for (double change : changes)
      all.push_back(sum += change);
    return all;
  }

private:
  std::vector<double> changes;
};

/// Finds cuts. Point p is before operation p of the order.
class CutFinder {
public:
  CutFinder(func::FuncOp ppf, llvm::function_ref<double(Operation *)> wordsOf)
      : ppf(ppf) {
    llvm::ReversePostOrderTraversal<Block *> blocks(&ppf.getBody().front());
    for (Block *block : blocks)
      for (Operation &op : *block) {
        numbers[&op] = order.size();
        order.push_back(&op);
      }
    double sum = 0;
    for (Operation *op : order) {
      wordsBefore.push_back(sum);
      sum += wordsOf(op);
    }
  }

  std::vector<PpfCut> find(double least, double most, unsigned slotsMax);

private:
  size_t firstOf(Block *block) const { return numbers.lookup(&block->front()); }
  void addValues(Levels &slots, Levels &packets, Levels &wrong);
  void addEdges(Levels &slots, Levels &wrong, Levels &entries, Levels &traffic);
  void addSections(Levels &wrong);
  void addLocals(Levels &wrong);

  func::FuncOp ppf;
  std::vector<Operation *> order;
  std::vector<double> wordsBefore;
  llvm::DenseMap<Operation *, size_t> numbers;
};

/// A local variable in memory lies with the context, so both sides of a cut
/// cannot use it.
void CutFinder::addLocals(Levels &wrong) {
  llvm::MapVector<Operation *, std::pair<size_t, size_t>> uses;
  for (auto [number, op] : llvm::enumerate(order))
    for (Value operand : op->getOperands())
      if (isa<ir::RefType>(operand.getType()))
        if (ir::GlobalOp global = ir::globalOf(operand);
            global && ir::isLocal(global)) {
          auto [at, isNew] = uses.try_emplace(global, number, number);
          at->second.second = number;
        }
  for (auto &[global, range] : uses)
    if (range.first != range.second)
      wrong.add(range.first, range.second, 1);
}

/// A value is live from its definition to its last use.
void CutFinder::addValues(Levels &slots, Levels &packets, Levels &wrong) {
  auto add = [&](Value value, size_t from) {
    size_t to = from;
    for (Operation *user : value.getUsers())
      to = std::max(to, numbers.lookup(user));
    if (to == from || isRecreated(value))
      return;
    if (isa<ir::PacketType>(value.getType()))
      packets.add(from, to, 1);
    else if (unsigned words = slotsOf(value.getType()))
      slots.add(from, to, words);
    else
      wrong.add(from, to, 1);
  };
  for (Block &block : ppf.getBody())
    for (BlockArgument argument : block.getArguments())
      add(argument, firstOf(&block));
  for (auto [number, op] : llvm::enumerate(order))
    for (Value result : op->getResults())
      add(result, number);
}

void CutFinder::addEdges(Levels &slots, Levels &wrong, Levels &entries,
                         Levels &traffic) {
  auto times = blockFrequencies(ppf);
  for (Block &block : ppf.getBody()) {
    size_t first = firstOf(&block);
    Operation *last = block.getTerminator();
    // Inside a block there is one path.
    entries.add(first, numbers.lookup(last), 1);
    traffic.add(first, numbers.lookup(last), times.lookup(&block));
    size_t from = order.size(); // the first branch to the block
    for (auto at = block.pred_begin(); at != block.pred_end(); ++at) {
      Operation *branch = (*at)->getTerminator();
      size_t begin = numbers.lookup(branch);
      from = std::min(from, begin);
      if (begin >= first) // a loop
        wrong.add(first, begin, 1);
      else if (!isOnlyReturn(&block))
        traffic.add(begin, first,
                    times.lookup(*at) *
                        ir::branchProbability(branch, at.getSuccessorIndex()));
    }
    if (from >= first || isOnlyReturn(&block))
      continue;
    entries.add(from, first, 1);
    for (BlockArgument argument : block.getArguments()) {
      unsigned words = slotsOf(argument.getType());
      (words ? slots : wrong).add(from, first, std::max(words, 1u));
    }
  }
}

void CutFinder::addSections(Levels &wrong) {
  auto held = locksHeld(ppf);
  for (Block &block : ppf.getBody()) {
    int depth = held.lookup(&block);
    for (Operation &op : block) {
      size_t number = numbers.lookup(&op);
      if (depth > 0 && number > 0)
        wrong.add(number - 1, number, 1);
      depth += isa<ir::LockOp>(op) ? 1 : isa<ir::UnlockOp>(op) ? -1 : 0;
    }
  }
}

std::vector<PpfCut> CutFinder::find(double least, double most,
                                    unsigned slotsMax) {
  size_t count = order.size();
  KARAKAL_ASSERT(numbers.size() == count && count > 0,
                 "each operation has one number");
  Levels slots(count), packets(count), wrong(count), entries(count),
      traffic(count);
  addValues(slots, packets, wrong);
  addEdges(slots, wrong, entries, traffic);
  addSections(wrong);
  addLocals(wrong);
  auto slotsAt = slots.sums(), packetsAt = packets.sums(),
       wrongAt = wrong.sums(), entriesAt = entries.sums(),
       trafficAt = traffic.sums();
  std::vector<PpfCut> cuts;
  for (size_t p = 1; p < count; ++p) {
    double words = slotsAt[p] + (entriesAt[p] > 1 ? 1 : 0);
    if (wordsBefore[p] < least || wordsBefore[p] > most || wrongAt[p] != 0 ||
        packetsAt[p] != 1 || entriesAt[p] > entriesMax || words > slotsMax)
      continue;
    cuts.push_back({order[p], wordsBefore[p],
                    trafficAt[p] * (messageCost + slotCost * words)});
  }
  std::stable_sort(
      cuts.begin(), cuts.end(),
      [](const PpfCut &a, const PpfCut &b) { return a.cost < b.cost; });
  return cuts;
}

} // namespace

unsigned slotsOf(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return !integer || integer.getWidth() > 64 ? 0
         : integer.getWidth() > 32           ? 2
                                             : 1;
}

bool isRecreated(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<arith::ConstantOp, ir::GlobalRefOp>(op);
}

bool isOnlyReturn(Block *block) {
  return isa<func::ReturnOp>(block->front()) && block->getNumArguments() == 0;
}

std::vector<PpfCut> findCuts(func::FuncOp ppf, double least, double most,
                             unsigned slotsMax,
                             llvm::function_ref<double(Operation *)> wordsOf) {
  return CutFinder(ppf, wordsOf).find(least, most, slotsMax);
}

} // namespace karakal::agg
