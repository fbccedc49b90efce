// Combines stores of global data.
//
// Stores of adjacent words of one object become one burst at the last of them:
//
//   %p = baker.field %c "packets"
//   baker.store %n, %p                   →   baker.store_words [%n, %b] to %c
//   %b = baker.field %c "bytes"                  at 0
//   baker.store %b, %b
//
// A burst writes all its words at the time of the last store, which is later
// than the other stores. So no operation between them may make the difference
// visible: no access of another object (a reader that finds a flag set must
// find the data stored before it), no load of the words, no call, no lock, and
// no packet that leaves, whose receiver may read the words.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "passes/pac/PacGlobals.h"
#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;

namespace karakal::passes::pac {

namespace {

/// Stores to one object that one burst can replace.
struct StoreGroup {
  Value object;
  std::vector<ir::StoreOp> stores;
};

class StoreCombiner {
public:
  GlobalCounts run(func::FuncOp function);

private:
  void visit(Operation &op);
  void add(ir::StoreOp store);
  void flush(Operation *op, const char *why);
  void emitBurst(ArrayRef<std::pair<uint32_t, ir::StoreOp>> burst);

  StoreGroup group;
  GlobalCounts counts;
};

/// The words of an object that a load or store of a scalar accesses.
struct Touched {
  Value object;
  uint32_t begin, end;
};

template <typename Op> Touched touchedBy(Op op, Type type) {
  auto [object, word] = objectOf(op.getRef());
  return {object, word, word + uint32_t(ir::wordCount(type))};
}

Touched touchedBy(ir::StoreOp store) {
  return touchedBy(store, store.getValue().getType());
}

/// Ends the group before `op`, or at the end of a block if `op` is null.
void StoreCombiner::flush(Operation *op, const char *why) {
  if (group.stores.empty())
    return;
  Location last = group.stores.back().getLoc(); // emitBurst erases stores
  std::map<uint32_t, ir::StoreOp> byWord;
  for (ir::StoreOp store : group.stores)
    byWord[touchedBy(store).begin] = store;
  std::vector<std::pair<uint32_t, ir::StoreOp>> burst;
  uint32_t end = 0;
  for (auto [word, store] : byWord) {
    uint32_t next = touchedBy(store).end;
    if (!burst.empty() &&
        (word != end || next - burst.front().first > burstWordsMax)) {
      emitBurst(burst);
      burst.clear();
    }
    burst.emplace_back(word, store);
    end = next;
  }
  emitBurst(burst);
  if (op && why)
    ir::explain(op, "pac") << "not combined with the store at " << last << ": "
                           << why;
  group = {};
}

void StoreCombiner::emitBurst(
    ArrayRef<std::pair<uint32_t, ir::StoreOp>> burst) {
  if (burst.size() < 2)
    return;
  KARAKAL_ASSERT(burst.back().first - burst.front().first < burstWordsMax,
                 "one command writes the words");
  ir::StoreOp last = burst.front().second;
  for (auto [word, store] : burst)
    if (last->isBeforeInBlock(store))
      last = store;
  OpBuilder builder(last);
  Location loc = last.getLoc();
  Type i32 = builder.getI32Type();
  SmallVector<Value> words;
  for (auto [word, store] : burst) {
    Value value = store.getValue();
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width > 32) {
      Type i64 = builder.getI64Type();
      Value wide =
          width == 64 ? value : builder.create<arith::ExtUIOp>(loc, i64, value);
      Value by = builder.create<arith::ConstantIntOp>(loc, 32, 64);
      Value high = builder.create<arith::ShRUIOp>(loc, wide, by);
      words.push_back(builder.create<arith::TruncIOp>(loc, i32, high));
      words.push_back(builder.create<arith::TruncIOp>(loc, i32, wide));
    } else {
      words.push_back(width == 32
                          ? value
                          : builder.create<arith::ExtUIOp>(loc, i32, value));
    }
  }
  builder.create<ir::StoreWordsOp>(loc, words, group.object,
                                   burst.front().first);
  ir::explain(last, "pac") << burst.size()
                           << " stores written by one command of "
                           << words.size() << " words";
  ++counts.commands;
  counts.accesses += burst.size();
  for (auto [word, store] : burst)
    store.erase();
}

void StoreCombiner::add(ir::StoreOp store) {
  Touched touched = touchedBy(store);
  if (group.object && group.object != touched.object)
    flush(store, "it is of another object");
  for (ir::StoreOp other : group.stores) {
    Touched before = touchedBy(other);
    if (before.begin < touched.end && touched.begin < before.end) {
      flush(store, "it writes the same words");
      break;
    }
  }
  group.object = touched.object;
  group.stores.push_back(store);
}

void StoreCombiner::visit(Operation &op) {
  if (auto store = dyn_cast<ir::StoreOp>(op))
    return add(store);
  if (group.stores.empty())
    return;
  if (auto load = dyn_cast<ir::LoadOp>(op)) {
    Touched touched = touchedBy(load, load.getValue().getType());
    if (touched.object != group.object)
      return flush(&op, "a load of another object is between");
    for (ir::StoreOp store : group.stores) {
      Touched written = touchedBy(store);
      if (written.begin < touched.end && touched.begin < written.end)
        return flush(&op, "a load of the words is between");
    }
    return;
  }
  if (isa<ir::LoadWordsOp, ir::StoreWordsOp>(op))
    return flush(&op, "a burst is between");
  if (isa<ir::LockOp, ir::UnlockOp, ir::AtomicOp>(op))
    return flush(&op, "a lock or an atomic operation is between");
  if (isa<func::CallOp>(op))
    return flush(&op, "a call is between");
  if (isa<ir::ChannelPutOp, ir::PacketSendOp, ir::PacketDropOp,
          ir::PacketKeepOp>(op))
    flush(&op, "the end of a packet is between");
}

GlobalCounts StoreCombiner::run(func::FuncOp function) {
  for (Block &block : function.getBody()) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(op);
    flush(nullptr, nullptr);
  }
  return counts;
}

} // namespace

GlobalCounts combineStores(func::FuncOp function) {
  return StoreCombiner().run(function);
}

} // namespace karakal::passes::pac
