// Queues of packets.
//
// A queue is a ring of slots in global data, with a lock of its own. The order
// of its slots is that of arrival:
//
//   ether_queue waiting[64];
//
//   baker.global @m.waiting : !baker.struct<"queue", first : i32, length : i32,
//                               slots : !baker.array<64 x !baker.struct<…>>>
//   baker.global @m.waiting.lock : i32
//
// `queue_put` stores the word of the packet and its length in the slot after
// the last; `queue_take` makes a packet of the word in the first slot, or of 0.
// The word `karakal.waiting` counts the packets in all queues, so that a run
// knows that they wait and are not lost. It changes while the lock is held and
// the queue's length has its new value.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/TypeLayout.h"
#include "ir/dialect/Attributes.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace arith = mlir::arith;
namespace cf = mlir::cf;
using mlir::Block;
using mlir::Value;

namespace karakal::lang {

static constexpr const char *firstField = "first", *lengthField = "length",
                            *slotsField = "slots", *wordField = "word",
                            *bytesField = "bytes", *lockSuffix = ".lock";

/// The queue of a variable of queues.
static const Type *queueOf(const Type *type) {
  while (type->is(TypeKind::Array))
    type = type->element;
  return type;
}

/// The type of the locks of a variable of queues: `word` for one queue.
static mlir::Type lockType(const Type *type, mlir::Type word) {
  if (!type->is(TypeKind::Array))
    return word;
  return ir::ArrayType::get(word.getContext(), type->elementCount,
                            lockType(type->element, word));
}

mlir::Type ProgramLowering::queueType(const Type *queue) {
  mlir::MLIRContext *context = builder.getContext();
  mlir::Type word = builder.getI32Type();
  auto name = [&](const char *text) { return builder.getStringAttr(text); };
  auto slot = ir::StructType::get(
      context, "slot", {name(wordField), name(bytesField)}, {word, word});
  auto slots = ir::ArrayType::get(context, queue->elementCount, slot);
  return ir::StructType::get(
      context, "queue", {name(firstField), name(lengthField), name(slotsField)},
      {word, word, slots});
}

void ProgramLowering::lowerQueueLocks(const GlobalDecl &decl) {
  if (!queueOf(decl.type)->is(TypeKind::Queue))
    return;
  auto lock = builder.create<ir::GlobalOp>(
      location(decl.range), decl.symbol + lockSuffix,
      lockType(decl.type, builder.getI32Type()), mlir::DenseI64ArrayAttr());
  ir::setRequestedMemory(lock, ir::MemoryRequest::Scratch);
  if (!module->lookupSymbol(ir::waitingName))
    builder.create<ir::GlobalOp>(module->getLoc(), ir::waitingName,
                                 builder.getI32Type(),
                                 mlir::DenseI64ArrayAttr());
}

namespace {
/// Emits accesses of one queue.
class QueueCode {
public:
  QueueCode(mlir::OpBuilder &builder, mlir::Location at, Value queue,
            uint64_t capacity)
      : builder(builder), at(at), queue(queue), capacity(capacity) {}

  Value word(uint64_t value) {
    return builder.create<arith::ConstantIntOp>(at, int64_t(value), 32);
  }
  Value field(Value of, const char *name) {
    return builder.create<ir::FieldOp>(at, of, name);
  }
  Value load(const char *name) {
    return builder.create<ir::LoadOp>(at, field(queue, name));
  }
  void store(Value value, const char *name) {
    builder.create<ir::StoreOp>(at, value, field(queue, name));
  }
  Value slot(Value index) {
    return builder.create<ir::ElementOp>(at, field(queue, slotsField), index);
  }
  /// `index`, which is less than twice the capacity, as that of a slot.
  Value wrap(Value index) {
    Value isOver = builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::uge,
                                                 index, word(capacity));
    Value rest = builder.create<arith::SubIOp>(at, index, word(capacity));
    return builder.create<arith::SelectOp>(at, isOver, rest, index);
  }
  /// Counts the packet among those that wait, or no longer.
  void count(int64_t by) {
    auto type = ir::RefType::get(builder.getContext(), builder.getI32Type());
    Value waiting = builder.create<ir::GlobalRefOp>(at, type, ir::waitingName);
    builder.create<ir::AtomicOp>(at, arith::AtomicRMWKind::addi,
                                 word(uint64_t(by)), waiting);
  }
  void put(Value length, Value packet) {
    Value first = load(firstField);
    Value last = slot(wrap(builder.create<arith::AddIOp>(at, first, length)));
    Value bytes = builder.create<ir::PacketLengthOp>(at, packet);
    Value kept = builder.create<ir::PacketKeepOp>(at, packet);
    builder.create<ir::StoreOp>(at, kept, field(last, wordField));
    builder.create<ir::StoreOp>(at, bytes, field(last, bytesField));
    store(builder.create<arith::AddIOp>(at, length, word(1)), lengthField);
    count(1);
  }
  Value take(Value length) {
    Value first = load(firstField);
    Value taken = builder.create<ir::LoadOp>(at, field(slot(first), wordField));
    store(wrap(builder.create<arith::AddIOp>(at, first, word(1))), firstField);
    store(builder.create<arith::SubIOp>(at, length, word(1)), lengthField);
    count(-1);
    return taken;
  }
  Value nextBytes() {
    return builder.create<ir::LoadOp>(
        at, field(slot(load(firstField)), bytesField));
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location at;
  Value queue;
  uint64_t capacity;
};
} // namespace

/// The references to the queue that `expr` names and to its lock.
FunctionLowering::QueueRefs FunctionLowering::queueRefs(const Expr &expr) {
  if (auto *index = llvm::dyn_cast<IndexExpr>(&expr)) {
    QueueRefs base = queueRefs(*index->base);
    uint64_t count = index->base->type->elementCount;
    Value at = limitedIndex(*index->index, count);
    return {elementInMemory(base.queue, count, at, expr.range),
            elementInMemory(base.lock, count, at, expr.range)};
  }
  Value queue = lvalue(expr).base;
  auto global = queue.getDefiningOp<ir::GlobalRefOp>();
  KARAKAL_ASSERT(global, "a queue is global data");
  std::string lock = global.getGlobal().str() + lockSuffix;
  mlir::Type type = lockType(expr.type, builder.getI32Type());
  return {queue, builder.create<ir::GlobalRefOp>(
                     location(expr.range),
                     ir::RefType::get(builder.getContext(), type), lock)};
}

/// The value of a call whose queue may be in a state that gives 0.
Value FunctionLowering::lowerQueueCall(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  const Type *type = expr.arguments[0]->type;
  Value packet;
  QueueRefs refs = queueRefs(*expr.arguments[0]);
  QueueCode code(builder, at, refs.queue, type->elementCount);
  if (expr.primitive == Primitive::QueueLength)
    return code.load(lengthField);
  bool isPut = expr.primitive == Primitive::QueuePut;
  if (isPut)
    packet = lower(*expr.arguments[1]);
  KARAKAL_ASSERT(!lock, "a queue is used inside a critical section");
  builder.create<ir::LockOp>(at, refs.lock);
  Value length = code.load(lengthField);
  Value isRefused =
      builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::eq, length,
                                    code.word(isPut ? type->elementCount : 0));
  Block *refused = newBlock(), *served = newBlock(), *after = newBlock();
  builder.create<cf::CondBranchOp>(at, isRefused, refused, served);
  start(refused);
  builder.create<ir::UnlockOp>(at, refs.lock);
  if (isPut)
    builder.create<ir::PacketDropOp>(
        at, packet,
        mlir::FlatSymbolRefAttr::get(builder.getContext(), queueFullName));
  llvm::SmallVector<Value> none, some;
  if (!isPut)
    none.push_back(code.word(0));
  builder.create<cf::BranchOp>(at, after, none);
  start(served);
  if (isPut)
    code.put(length, packet);
  else
    some.push_back(expr.primitive == Primitive::QueueTake ? code.take(length)
                                                          : code.nextBytes());
  builder.create<ir::UnlockOp>(at, refs.lock);
  builder.create<cf::BranchOp>(at, after, some);
  if (!isPut)
    after->addArgument(builder.getI32Type(), at);
  start(after);
  if (isPut)
    return {};
  Value word = after->getArgument(0);
  if (expr.primitive == Primitive::QueueNextBytes)
    return word;
  Value zero = code.word(0);
  return builder.create<ir::PacketTakeOp>(at, parent.packetType(type->protocol),
                                          word, zero, /*from_rx=*/false);
}

} // namespace karakal::lang
