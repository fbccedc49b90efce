// A read is one command for the quadwords that hold its words. If only the
// alignment of the head is known, it is computed, read from the descriptor
// unless it is a value. With an alignment of 4 the first word may be either of
// a quadword: one word is selected, and several have a branch for each case.
//
// A write of whole quadwords is one command, and so is one of some bytes of a
// quadword. A write that would take more than two of these reads, merges and
// writes instead. Section 5.3.2 of the paper, step 8.

#include "passes/to-llvm/HeadAccess.h"
#include "support/Assert.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

#include <optional>

using namespace mlir;

namespace karakal::passes {

constexpr int32_t wordBytes = 4, quadBytes = 8;

Value HeadAccess::shiftLeft(Value value, unsigned amount) {
  return amount ? builder.create<LLVM::ShlOp>(loc, value, word(amount)) : value;
}

Value HeadAccess::shiftRight(Value value, unsigned amount) {
  return amount ? builder.create<LLVM::LShrOp>(loc, value, word(amount))
                : value;
}

Value HeadAccess::bitOr(Value a, Value b) {
  return builder.create<LLVM::OrOp>(loc, a, b);
}

Value HeadAccess::maskWith(Value value, uint32_t mask) {
  return mask == ~0u ? value
                     : builder.create<LLVM::AndOp>(loc, value, word(mask));
}

Value HeadAccess::funnel(Value high, Value low, unsigned bit) {
  return bit ? bitOr(shiftLeft(high, bit), shiftRight(low, wordBits - bit))
             : high;
}

Value HeadAccess::add(Value a, Value b) {
  return builder.create<LLVM::AddOp>(loc, a, b);
}

Value HeadAccess::choose(Value isOdd, Value odd, Value even) {
  return builder.create<LLVM::SelectOp>(loc, isOdd, odd, even);
}

/// The constant part of the address is a GEP index, so that LLVM sees which
/// accesses of a packet do not overlap.
Value HeadAccess::pointerTo(Value base, int32_t bytes) {
  Value address = shiftLeft(handle, target::HandleToDramShift);
  if (base)
    address = add(address, base);
  Type type =
      LLVM::LLVMPointerType::get(builder.getContext(), target::DramSpace);
  Value pointer = builder.create<LLVM::IntToPtrOp>(loc, type, address);
  return advance(pointer, bytes);
}

Value HeadAccess::advance(Value pointer, int32_t bytes) {
  if (bytes == 0)
    return pointer;
  return builder.create<LLVM::GEPOp>(loc, pointer.getType(),
                                     builder.getI8Type(), pointer,
                                     ArrayRef<LLVM::GEPArg>{bytes});
}

HeadAccess::Quads HeadAccess::quadsOf(int32_t index, unsigned count) {
  int32_t start = (offset & -wordBytes) + wordBytes * index;
  if (!head || modulus == 8) {
    int32_t first = start & -quadBytes;
    int32_t end = start + wordBytes * int32_t(count);
    int32_t after = (end + quadBytes - 1) & -quadBytes;
    return {pointerTo(head, first), unsigned(after - first) / wordBytes,
            unsigned(start - first) / wordBytes, Value()};
  }
  // The first word is at 0 or 4 modulo 8.
  Value firstByte = add(head, word(uint32_t(start)));
  Value half = builder.create<LLVM::AndOp>(loc, firstByte, word(wordBytes));
  Value isOdd =
      builder.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, half, word(0));
  Value base = maskWith(firstByte, uint32_t(-quadBytes));
  return {pointerTo(base, 0), (count + 2) / 2 * 2, 0, isOdd};
}

SmallVector<Value> HeadAccess::load(int32_t index, unsigned count) {
  KARAKAL_ASSERT(modulus == 4 || modulus == 8, "words are aligned");
  Quads quads = quadsOf(index, count);
  SmallVector<Value> all =
      loadBurst(builder, loc, quads.pointer, quads.words, quadBytes);
  if (!quads.isOdd)
    return {all.begin() + quads.first, all.begin() + quads.first + count};
  if (count == 1)
    return {choose(quads.isOdd, all[1], all[0])};
  all.resize(count + 2, word(0));
  return wordsFromEnclosing(builder, loc, {{}, quads.isOdd, word(0)}, all,
                            count);
}

/// Returns a bit for each byte of `mask`, bit 0 for the first byte, or nothing
/// if the mask has a part of a byte.
static std::optional<uint32_t> bytesOf(uint32_t mask) {
  uint32_t bytes = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    uint32_t bits = mask >> (24 - 8 * byte) & 0xff;
    if (bits != 0 && bits != 0xff)
      return std::nullopt;
    bytes |= uint32_t(bits != 0) << byte;
  }
  return bytes;
}

void HeadAccess::writeMasked(Value pointer, Value mask, Value first,
                             Value second) {
  SmallVector<Value> operands{pointer, mask, first, second};
  LLVM::LLVMFuncOp callee =
      declareRuntime(module, target::intrinsic::DramWriteMasked,
                     LLVM::LLVMVoidType::get(builder.getContext()),
                     llvm::to_vector(ValueRange(operands).getTypes()));
  builder.create<LLVM::CallOp>(loc, callee, operands);
}

/// Writes quadwords, each word's bits of `masks`, without a read, if that takes
/// at most the two commands of a read and a write.
bool HeadAccess::storeMasked(Value pointer, const Burst &quads) {
  constexpr uint32_t whole = 0xff;
  unsigned count = quads.words.size() / 2;
  SmallVector<uint32_t> masks;
  for (unsigned i = 0; i < count; ++i) {
    std::optional<uint32_t> first = bytesOf(quads.masks[2 * i]),
                            second = bytesOf(quads.masks[2 * i + 1]);
    if (!first || !second)
      return false;
    masks.push_back(*first | *second << wordBytes);
  }
  auto endOfCommand = [&](unsigned i) {
    unsigned end = i + 1;
    while (masks[i] == whole && end < count && masks[end] == whole)
      ++end;
    return end;
  };
  unsigned commands = 0;
  for (unsigned i = 0; i < count; i = endOfCommand(i))
    commands += masks[i] != 0;
  if (commands > 2)
    return false;
  for (unsigned i = 0, end = 0; i < count; i = end) {
    end = endOfCommand(i);
    Value at = advance(pointer, int32_t(i) * quadBytes);
    ArrayRef<Value> words =
        ArrayRef(quads.words).slice(2 * size_t(i), 2 * size_t(end - i));
    if (masks[i] == whole)
      storeBurst(builder, loc, at, words, quadBytes);
    else if (masks[i] != 0)
      writeMasked(at, word(masks[i]), words[0], words[1]);
  }
  return true;
}

/// Writes a burst that begins in word `first` (0 or 1) of the quadword at
/// `pointer`.
void HeadAccess::storeFrom(Value pointer, unsigned first, const Burst &burst) {
  unsigned total = (first + burst.words.size() + 1) / 2 * 2;
  Burst quads{SmallVector<Value>(first, word(0)),
              SmallVector<uint32_t>(first, 0)};
  llvm::append_range(quads.words, burst.words);
  llvm::append_range(quads.masks, burst.masks);
  quads.words.resize(total, word(0));
  quads.masks.resize(total, 0);
  if (storeMasked(pointer, quads))
    return;
  SmallVector<Value> words = loadBurst(builder, loc, pointer, total, quadBytes);
  for (unsigned i = 0; i < total; ++i) {
    uint32_t mask = quads.masks[i];
    if (mask == ~0u)
      words[i] = quads.words[i];
    else if (mask != 0)
      words[i] =
          bitOr(maskWith(words[i], ~mask), maskWith(quads.words[i], mask));
  }
  storeBurst(builder, loc, pointer, words, quadBytes);
}

/// The code of both cases of `isOdd`, on two branches.
void HeadAccess::branch(Value isOdd,
                        llvm::function_ref<void(bool isOdd)> emit) {
  Block *before = builder.getInsertionBlock();
  Block *after = builder.splitBlock(before, builder.getInsertionPoint());
  Block *cases[2];
  for (bool odd : {false, true}) {
    cases[odd] = builder.createBlock(after);
    emit(odd);
    builder.create<LLVM::BrOp>(loc, after);
  }
  builder.setInsertionPointToEnd(before);
  builder.create<LLVM::CondBrOp>(loc, isOdd, cases[true], cases[false]);
  builder.setInsertionPointToStart(after);
}

void HeadAccess::store(int32_t index, const Burst &burst) {
  unsigned count = burst.words.size();
  KARAKAL_ASSERT(burst.masks.size() == count, "a mask for each word");
  Quads quads = quadsOf(index, count);
  if (!quads.isOdd)
    return storeFrom(quads.pointer, quads.first, burst);
  std::optional<uint32_t> bytes = bytesOf(burst.masks[0]);
  if (count == 1 && bytes)
    return writeMasked(
        quads.pointer,
        choose(quads.isOdd, word(*bytes << wordBytes), word(*bytes)),
        burst.words[0], burst.words[0]);
  branch(quads.isOdd,
         [&](bool isOdd) { storeFrom(quads.pointer, isOdd, burst); });
}

} // namespace karakal::passes
