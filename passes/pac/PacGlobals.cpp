// Combines loads of global data.
//
// Loads of scalars of one object (a structure in an array, or a global) become
// one burst at the first of them:
//
//   %p = baker.field %hop "port"             %w:3 = baker.load_words %hop at 0
//   %port = baker.load %p                →   %port = %w#2
//   %m = baker.field %hop "mac"              %mac = %w#0 << 32 | %w#1
//   %mac = baker.load %m
//
// A burst reads all its words at the time of the first load, which is earlier
// than the other loads. So no operation between them, on any path, may make the
// difference visible: no store to the same global, no call, no load of another
// object. The last rule protects a program that first reads whether a table is
// ready and then reads the table. Within the object, a reader that finds the
// last word written also finds the words written before it, because the burst
// reads them at the same time. A store of other words of the object does no
// harm.

#include "passes/pac/PacGlobals.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace karakal::passes::pac {

std::pair<Value, uint32_t> objectOf(Value ref) {
  uint64_t word = 0;
  while (Operation *op = ref.getDefiningOp()) {
    if (auto field = dyn_cast<ir::FieldOp>(op)) {
      auto record = cast<ir::StructType>(
          cast<ir::RefType>(field.getRecord().getType()).getPointee());
      word += ir::fieldWordOffset(record, *record.fieldIndex(field.getField()));
      ref = field.getRecord();
      continue;
    }
    auto element = dyn_cast<ir::ElementOp>(op);
    APInt index;
    if (!element || !matchPattern(element.getIndex(), m_ConstantInt(&index)))
      break;
    auto array = cast<ir::ArrayType>(
        cast<ir::RefType>(element.getArray().getType()).getPointee());
    word += index.getZExtValue() * ir::elementWordStride(array);
    ref = element.getArray();
  }
  return {ref, uint32_t(word)};
}

namespace {

/// The most extra words that a burst reads for a rarely executed load, and the
/// share of executions below which a load is rare.
constexpr uint32_t idleWordsMax = 4;
constexpr double rareShare = 0.25;

/// A load of words of an object.
struct Part {
  ir::LoadOp load;
  Value object;
  uint32_t begin, end;
};

struct Group {
  Value object;
  std::vector<Part> parts;
  uint32_t begin, end;
};

/// Returns the name of the global that a reference leads to.
StringRef globalOf(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (auto root = dyn_cast<ir::GlobalRefOp>(op))
      return root.getGlobal();
    if (!isa<ir::ElementOp, ir::FieldOp>(op))
      break;
    ref = op->getOperand(0);
  }
  return {};
}

/// Returns the reason why the load `part` cannot move before `op`, or null.
const char *obstacle(Operation &op, const Part &part) {
  auto isSameGlobal = [&](Value ref) {
    return globalOf(ref) == globalOf(part.object);
  };
  if (auto store = dyn_cast<ir::StoreOp>(op)) {
    auto [object, begin] = objectOf(store.getRef());
    uint32_t end = begin + ir::wordCount(store.getValue().getType());
    bool isApart =
        object == part.object && (end <= part.begin || part.end <= begin);
    return isSameGlobal(store.getRef()) && !isApart
               ? "a store to the same global is between"
               : nullptr;
  }
  if (auto store = dyn_cast<ir::StoreWordsOp>(op))
    return isSameGlobal(store.getRef())
               ? "a store to the same global is between"
               : nullptr;
  if (isa<ir::LoadOp, ir::LoadWordsOp>(op))
    return objectOf(op.getOperand(0)).first != part.object
               ? "a load of another object is between"
               : nullptr;
  if (isa<ir::LockOp, ir::UnlockOp, ir::AtomicOp>(op))
    return "a lock or an atomic operation is between";
  if (isa<func::CallOp, ir::ChannelPutOp>(op))
    return "a call is between";
  return nullptr;
}

/// Returns the first obstacle on any path from `from` to the load, which `from`
/// dominates, or null.
const char *obstacleBetween(Operation *from, const Part &part) {
  Operation *to = part.load;
  llvm::SmallPtrSet<Block *, 16> seen;
  SmallVector<Operation *> work = {to->getPrevNode()};
  SmallVector<Block *> starts = {to->getBlock()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    Block *block = starts.pop_back_val();
    bool reached = false;
    for (; op && !reached; op = op->getPrevNode()) {
      if (op == from)
        reached = true;
      else if (const char *why = obstacle(*op, part))
        return why;
    }
    if (reached)
      continue;
    for (Block *pred : block->getPredecessors()) {
      if (!seen.insert(pred).second)
        continue;
      work.push_back(pred->getTerminator());
      starts.push_back(pred);
    }
  }
  return nullptr;
}

class Combiner {
public:
  Combiner(func::FuncOp function, DominanceInfo &dominance,
           const Frequencies &frequencies)
      : function(function), dominance(dominance), frequencies(frequencies) {}

  GlobalCounts run();

private:
  const char *join(Group &group, const Part &part);
  void addToGroup(const Part &part);
  void emit(const Group &group, GlobalCounts &counts);

  func::FuncOp function;
  DominanceInfo &dominance;
  const Frequencies &frequencies;
  std::vector<Group> groups;
};

/// Adds the load to the group. Returns null, or the reason why it does not fit.
const char *Combiner::join(Group &group, const Part &part) {
  Operation *first = group.parts.front().load;
  uint32_t begin = std::min(group.begin, part.begin);
  uint32_t end = std::max(group.end, part.end);
  if (end - begin > burstWordsMax)
    return "more words than one command moves";
  if (!dominance.properlyDominates(first, part.load))
    return "the first is not on every path to the second";
  uint32_t more = (end - begin) - (group.end - group.begin);
  double share =
      frequencies.of(part.load->getBlock()) / frequencies.of(first->getBlock());
  if (more > idleWordsMax && share < rareShare)
    return "too many words for a load that is rarely executed";
  if (const char *why = obstacleBetween(first, part))
    return why;
  group.begin = begin;
  group.end = end;
  group.parts.push_back(part);
  return nullptr;
}

void Combiner::addToGroup(const Part &part) {
  for (Group &group : groups) {
    if (group.object != part.object)
      continue;
    Operation *first = group.parts.front().load;
    const char *why = join(group, part);
    if (!why)
      return;
    ir::explain(part.load, "pac")
        << "not combined with the load at " << first->getLoc() << ": " << why;
  }
  groups.push_back({part.object, {part}, part.begin, part.end});
}

void Combiner::emit(const Group &group, GlobalCounts &counts) {
  if (group.parts.size() < 2)
    return;
  KARAKAL_ASSERT(group.end - group.begin <= burstWordsMax,
                 "one command reads the words");
  ir::LoadOp first = group.parts.front().load;
  OpBuilder builder(first);
  Location loc = first.getLoc();
  SmallVector<Type> types(group.end - group.begin, builder.getI32Type());
  auto burst =
      builder.create<ir::LoadWordsOp>(loc, types, group.object, group.begin);
  ++counts.commands;
  for (const Part &part : group.parts) {
    ir::LoadOp load = part.load;
    ++counts.accesses;
    builder.setInsertionPoint(load);
    Value value = burst.getWords()[part.begin - group.begin];
    Type type = load.getValue().getType();
    if (part.end - part.begin == 2) {
      Type i64 = builder.getI64Type();
      Value low = burst.getWords()[part.begin + 1 - group.begin];
      Value by = builder.create<arith::ConstantIntOp>(loc, 32, 64);
      value = builder.create<arith::ShLIOp>(
          loc, builder.create<arith::ExtUIOp>(loc, i64, value), by);
      value = builder.create<arith::OrIOp>(
          loc, value, builder.create<arith::ExtUIOp>(loc, i64, low));
    }
    if (value.getType() != type)
      value = builder.create<arith::TruncIOp>(loc, type, value);
    load.replaceAllUsesWith(value);
    load.erase();
  }
}

GlobalCounts Combiner::run() {
  llvm::ReversePostOrderTraversal<Region *> blocks(&function.getBody());
  for (Block *block : blocks)
    for (auto load : block->getOps<ir::LoadOp>()) {
      auto [object, word] = objectOf(load.getRef());
      uint32_t words = ir::wordCount(load.getValue().getType());
      addToGroup({load, object, word, word + words});
    }
  GlobalCounts counts;
  for (const Group &group : groups)
    emit(group, counts);
  return counts;
}

} // namespace

GlobalCounts combineLoads(func::FuncOp function, DominanceInfo &dominance,
                          const Frequencies &frequencies) {
  return Combiner(function, dominance, frequencies).run();
}

} // namespace karakal::passes::pac
