// Inserts the commands of a plan.
//
// Each word of an anchor becomes a stack slot. A planned load fills the slots,
// except for bits that were written before it. Accesses of fields become shifts
// and masks of slots. A planned store writes the values of the slots. Then
// MLIR's mem2reg turns the slots into values and block arguments.

#include "passes/pac/PacRewrite.h"
#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace karakal::passes::pac {

namespace {

constexpr unsigned wordBits = 32;

Value constant(OpBuilder &builder, Location loc, uint32_t value) {
  return builder.create<arith::ConstantIntOp>(loc, int32_t(value), wordBits);
}

uint32_t ones(unsigned count) {
  return count == wordBits ? ~uint32_t(0) : (uint32_t(1) << count) - 1;
}

Value shiftLeft(OpBuilder &builder, Location loc, Value value, unsigned bits) {
  if (bits == 0)
    return value;
  return builder.create<arith::ShLIOp>(loc, value,
                                       constant(builder, loc, bits));
}

Value shiftRight(OpBuilder &builder, Location loc, Value value, unsigned bits) {
  if (bits == 0)
    return value;
  return builder.create<arith::ShRUIOp>(loc, value,
                                        constant(builder, loc, bits));
}

Value mask(OpBuilder &builder, Location loc, Value value, uint32_t bits) {
  if (bits == ~uint32_t(0))
    return value;
  return builder.create<arith::AndIOp>(loc, value,
                                       constant(builder, loc, bits));
}

} // namespace

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Slots::Slots(const Anchor &anchor, func::FuncOp function)
    : anchor(anchor), function(function), gridBit(8 * (anchor.phase & 3)) {}

/// Returns the slot of a word. Its initial value, at the anchor, is 0.
Value Slots::slot(int32_t word) {
  Value &found = slots[word];
  if (found)
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = anchor.value.getLoc();
  auto allocation = builder.create<memref::AllocaOp>(
      loc, MemRefType::get({}, builder.getI32Type()));
  all.push_back(allocation);
  if (Operation *op = anchor.value.getDefiningOp())
    builder.setInsertionPointAfter(op);
  else if (Value(anchor.value).getParentBlock() != allocation->getBlock())
    builder.setInsertionPointToStart(Value(anchor.value).getParentBlock());
  builder.create<memref::StoreOp>(loc, constant(builder, loc, 0), allocation);
  return found = allocation;
}

Value Slots::read(OpBuilder &builder, Location loc, int32_t bit,
                  unsigned width) {
  KARAKAL_ASSERT(width >= 1 && width <= wordBits, "a read of 1 to 32 bits");
  int32_t word = (bit - gridBit) >> 5;
  unsigned first = (bit - gridBit) & 31, end = first + width;
  Value high = builder.create<memref::LoadOp>(loc, slot(word));
  if (end <= wordBits)
    return mask(builder, loc, shiftRight(builder, loc, high, wordBits - end),
                ones(width));
  unsigned rest = end - wordBits;
  high = mask(builder, loc, high, ones(wordBits - first));
  Value low = builder.create<memref::LoadOp>(loc, slot(word + 1));
  return builder.create<arith::OrIOp>(
      loc, shiftLeft(builder, loc, high, rest),
      shiftRight(builder, loc, low, wordBits - rest));
}

void Slots::write(OpBuilder &builder, Location loc, int32_t bit, unsigned width,
                  Value value) {
  KARAKAL_ASSERT(width >= 1 && width <= wordBits, "a write of 1 to 32 bits");
  int32_t word = (bit - gridBit) >> 5;
  unsigned first = (bit - gridBit) & 31, end = first + width;
  if (end > wordBits) {
    unsigned rest = end - wordBits;
    write(builder, loc, bit, width - rest,
          shiftRight(builder, loc, value, rest));
    write(builder, loc, bit + int32_t(width - rest), rest,
          mask(builder, loc, value, ones(rest)));
    return;
  }
  Value place = slot(word);
  if (width != wordBits) {
    Value old = builder.create<memref::LoadOp>(loc, place);
    uint32_t field = ones(width) << (wordBits - end);
    value = builder.create<arith::OrIOp>(
        loc, mask(builder, loc, old, ~field),
        shiftLeft(builder, loc, value, wordBits - end));
  }
  builder.create<memref::StoreOp>(loc, value, place);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

/// Truncates or zero-extends `value` to `width` bits.
Value resized(OpBuilder &builder, Location loc, Value value, unsigned width) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  Type type = builder.getIntegerType(width);
  if (from < width)
    return builder.create<arith::ExtUIOp>(loc, type, value);
  if (from > width)
    return builder.create<arith::TruncIOp>(loc, type, value);
  return value;
}

Value shiftWide(OpBuilder &builder, Location loc) {
  return builder.create<arith::ConstantIntOp>(loc, wordBits, 64);
}

/// Replaces a read. Its only result is the value.
void rewriteRead(const Event &event, Slots &slots) {
  OpBuilder builder(event.op);
  Location loc = event.op->getLoc();
  Value result = event.op->getResult(0), value;
  unsigned width = event.width;
  if (width <= wordBits) {
    value = slots.read(builder, loc, event.bit, width);
  } else {
    unsigned rest = width - wordBits;
    Value high =
        resized(builder, loc, slots.read(builder, loc, event.bit, rest), 64);
    Value low = resized(
        builder, loc,
        slots.read(builder, loc, event.bit + int32_t(rest), wordBits), 64);
    high = builder.create<arith::ShLIOp>(loc, high, shiftWide(builder, loc));
    value = builder.create<arith::OrIOp>(loc, high, low);
  }
  result.replaceAllUsesWith(
      resized(builder, loc, value, result.getType().getIntOrFloatBitWidth()));
  event.op->erase();
}

/// Replaces a write. Its first operand is the value.
void rewriteWrite(const Event &event, Slots &slots) {
  OpBuilder builder(event.op);
  Location loc = event.op->getLoc();
  Value value = event.op->getOperand(0);
  int32_t bit = event.bit;
  unsigned width = event.width;
  if (width > wordBits) {
    unsigned rest = width - wordBits;
    Value wide = resized(builder, loc, value, 64);
    Value high =
        builder.create<arith::ShRUIOp>(loc, wide, shiftWide(builder, loc));
    slots.write(builder, loc, bit, rest, resized(builder, loc, high, wordBits));
    bit += int32_t(rest);
    width = wordBits;
  }
  slots.write(builder, loc, bit, width, resized(builder, loc, value, wordBits));
  event.op->erase();
}

void makeLoad(const Anchor &anchor, const PlannedLoad &planned, Slots &slots) {
  OpBuilder builder(planned.before);
  Location loc = planned.before->getLoc();
  unsigned count = (planned.end - planned.begin + 3) / 4;
  SmallVector<Type> types(count, builder.getI32Type());
  Operation *load;
  if (anchor.bytes == Bytes::Descriptor)
    load = builder.create<ir::MetaLoadOp>(loc, types, planned.handle,
                                          planned.begin / 4);
  else
    load = builder.create<ir::PacketLoadOp>(
        loc, types, planned.handle,
        planned.begin - anchor.delta.lookup(planned.handle),
        /*aligned=*/anchor.writesWhole());
  const Window &window = anchor.window;
  // Fill the ranges of bits of each word that no earlier write has set.
  for (unsigned i = 0; i < count; ++i) {
    int32_t first = 8 * (planned.begin + int32_t(4 * i));
    auto isTaken = [&](int32_t bit) {
      return window.contains(bit >> 3) && !window.hasBit(planned.written, bit);
    };
    for (int32_t bit = first; bit < first + int32_t(wordBits); ++bit) {
      int32_t end = bit;
      while (end < first + int32_t(wordBits) && isTaken(end))
        ++end;
      if (end == bit)
        continue;
      unsigned width = end - bit;
      Value bits = shiftRight(builder, loc, load->getResult(i),
                              first + int32_t(wordBits) - end);
      slots.write(builder, loc, bit, width,
                  mask(builder, loc, bits, ones(width)));
      bit = end;
    }
  }
}

void makeStore(const Anchor &anchor, const PlannedStore &planned,
               Slots &slots) {
  OpBuilder builder(planned.before);
  Location loc = planned.before->getLoc();
  const Window &window = anchor.window;
  unsigned count = (planned.end - planned.begin + 3) / 4;
  SmallVector<Value> words;
  uint64_t bytes = 0;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(slots.read(builder, loc,
                               8 * (planned.begin + int32_t(4 * i)), wordBits));
  for (int32_t byte = planned.begin; byte < planned.end; ++byte)
    if (byte >= window.low && byte < window.high &&
        planned.written.test(byte - window.low))
      bytes |= uint64_t(1) << (byte - planned.begin);
  if (anchor.bytes == Bytes::Descriptor) {
    builder.create<ir::MetaStoreOp>(loc, words, planned.handle,
                                    planned.begin / 4);
    return;
  }
  bool isWhole = bytes == ~uint64_t(0) >> (64 - 4 * count);
  auto store = builder.create<ir::PacketStoreOp>(
      loc, words, planned.handle,
      builder.getI32IntegerAttr(planned.begin -
                                anchor.delta.lookup(planned.handle)),
      isWhole ? IntegerAttr() : builder.getI64IntegerAttr(int64_t(bytes)),
      /*aligned=*/UnitAttr());
  store.setAligned(isWhole && anchor.writesWhole());
}

} // namespace

void rewrite(const Anchor &anchor, const Plan &plan, Slots &slots) {
  // A load before the operation of a store comes before the store.
  for (const PlannedLoad &load : plan.loads)
    makeLoad(anchor, load, slots);
  for (const PlannedStore &store : plan.stores)
    makeStore(anchor, store, slots);
  for (auto &[block, events] : anchor.events) {
    for (const Event &event : events) {
      if (event.kind == Event::Read)
        rewriteRead(event, slots);
      else if (event.kind == Event::Write)
        rewriteWrite(event, slots);
    }
  }
}

} // namespace karakal::passes::pac
