// Bursts as memory commands.
//
// Lowers the combined accesses of packets, descriptors and global data. On a
// microengine each becomes one load or store of a vector, for which the code
// generator emits one command:
//
//   %w:2 = baker.packet_load %ph at 12 : … -> i32, i32
//   →  %head = load of descriptor word 1, shifted
//      %q = load <4 x i32>, ptr addrspace(2) of the enclosing quadwords
//      %w = call @__ixp_words_from.2(its second word?, byte, words of %q)
//
// A store reads the enclosing quadwords, merges and writes them. A packet has
// one owner at a time, so no other write comes between. If the alignment of the
// head pointer is known (`baker.head`, from baker-soar), the same functions
// fold to constant shifts, and quadwords that are written whole are not read.
//
// On the XScale core and the host a burst becomes primitive calls for its
// words.

#include "passes/to-llvm/ToLlvmAccess.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "support/Assert.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::passes {

namespace {

constexpr uint32_t bytesPerWord = 4;
constexpr uint32_t bytesPerQuadword = 8;
/// The most words that a DRAM command moves.
constexpr uint32_t commandWords = 16;

Value pointerTo(OpBuilder &builder, Location loc, Value address,
                unsigned space) {
  Type type = LLVM::LLVMPointerType::get(builder.getContext(), space);
  return builder.create<LLVM::IntToPtrOp>(loc, type, address);
}

Value add(OpBuilder &builder, Location loc, Value value, uint32_t constant) {
  if (constant == 0)
    return value;
  return builder.create<LLVM::AddOp>(loc, value,
                                     constantWord(builder, loc, constant));
}

Value shift(OpBuilder &builder, Location loc, Value value, uint32_t bits,
            bool isLeft) {
  if (bits == 0)
    return value;
  Value amount = constantWord(builder, loc, bits);
  if (isLeft)
    return builder.create<LLVM::ShlOp>(loc, value, amount);
  return builder.create<LLVM::LShrOp>(loc, value, amount);
}

Value bitOr(OpBuilder &builder, Location loc, Value one, Value other) {
  return builder.create<LLVM::OrOp>(loc, one, other);
}

} // namespace

//===----------------------------------------------------------------------===//
// Bursts in one memory
//===----------------------------------------------------------------------===//

SmallVector<Value> loadBurst(OpBuilder &builder, Location loc, Value pointer,
                             unsigned count, unsigned align) {
  Type i32 = builder.getI32Type();
  if (count == 1)
    return {builder.create<LLVM::LoadOp>(loc, i32, pointer, align)};
  Value burst = builder.create<LLVM::LoadOp>(loc, VectorType::get(count, i32),
                                             pointer, align);
  SmallVector<Value> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(builder.create<LLVM::ExtractElementOp>(
        loc, burst, constantWord(builder, loc, i)));
  return words;
}

void storeBurst(OpBuilder &builder, Location loc, Value pointer,
                ArrayRef<Value> words, unsigned align) {
  if (words.size() == 1) {
    builder.create<LLVM::StoreOp>(loc, words[0], pointer, align);
    return;
  }
  Value burst = builder.create<LLVM::PoisonOp>(
      loc, VectorType::get(words.size(), builder.getI32Type()));
  for (auto [i, word] : llvm::enumerate(words))
    burst = builder.create<LLVM::InsertElementOp>(
        loc, burst, word, constantWord(builder, loc, i));
  builder.create<LLVM::StoreOp>(loc, burst, pointer, align);
}

//===----------------------------------------------------------------------===//
// Bytes of a packet, wherever its head points
//===----------------------------------------------------------------------===//

/// Returns the low word of (high:low) >> amount.
static Value funnelRight(OpBuilder &builder, Location loc, Value high,
                         Value low, Value amount) {
  Value rest =
      builder.create<LLVM::XOrOp>(loc, amount, constantWord(builder, loc, 31));
  Value up = builder.create<LLVM::ShlOp>(
      loc, shift(builder, loc, high, 1, /*isLeft=*/true), rest);
  Value down = builder.create<LLVM::LShrOp>(loc, low, amount);
  return bitOr(builder, loc, up, down);
}

/// Returns the address of byte `first` of the packet's buffer.
static Value addressOf(OpBuilder &builder, Location loc, Value handle,
                       Value first) {
  Value buffer =
      shift(builder, loc, handle, target::HandleToDramShift, /*isLeft=*/true);
  return builder.create<LLVM::AddOp>(loc, buffer, first);
}

/// Returns the position of byte `at` after the head pointer `head`, a byte
/// offset in the buffer of `handle`.
static BurstPosition burstPosition(OpBuilder &builder, Location loc,
                                   Value handle, Value head, int32_t at) {
  Value first = add(builder, loc, head, uint32_t(at));
  Value address = addressOf(builder, loc, handle, first);
  Value mask = constantWord(builder, loc, ~(bytesPerQuadword - 1));
  BurstPosition position;
  position.base =
      pointerTo(builder, loc, builder.create<LLVM::AndOp>(loc, address, mask),
                target::DramSpace);
  Value second = builder.create<LLVM::AndOp>(
      loc, first, constantWord(builder, loc, bytesPerWord));
  position.isSecond = builder.create<LLVM::ICmpOp>(
      loc, LLVM::ICmpPredicate::ne, second, constantWord(builder, loc, 0));
  position.byte = builder.create<LLVM::AndOp>(
      loc, first, constantWord(builder, loc, bytesPerWord - 1));
  return position;
}

/// Returns the words of the quadwords that enclose `count` words at any
/// alignment.
static unsigned enclosingWords(unsigned count) {
  return (bytesPerWord * count + bytesPerQuadword - 1 + bytesPerQuadword - 1) /
         bytesPerQuadword * 2;
}

/// Calls a function that the code generator expands
/// (codegen-me/prepare/PrepareUnaligned.cpp) for words at `position`. Returns
/// its `count` results.
static SmallVector<Value> callUnaligned(OpBuilder &builder, Location loc,
                                        const BurstPosition &position,
                                        const std::string &name,
                                        ArrayRef<Value> words, unsigned count) {
  SmallVector<Value> operands{position.isSecond, position.byte};
  llvm::append_range(operands, words);
  Type i32 = builder.getI32Type();
  Type type = i32;
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                            SmallVector<Type>(count, i32));
  Operation *function = builder.getInsertionBlock()->getParentOp();
  LLVM::LLVMFuncOp callee =
      declareRuntime(function->getParentOfType<ModuleOp>(), name, type,
                     llvm::to_vector(ValueRange(operands).getTypes()));
  Value made = builder.create<LLVM::CallOp>(loc, callee, operands).getResult();
  if (count == 1)
    return {made};
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i)
    results.push_back(builder.create<LLVM::ExtractValueOp>(loc, made, i));
  return results;
}

SmallVector<Value> wordsFromEnclosing(OpBuilder &builder, Location loc,
                                      const BurstPosition &position,
                                      ArrayRef<Value> enclosing,
                                      unsigned count) {
  KARAKAL_ASSERT(enclosing.size() >= count + 2,
                 "the enclosing quadwords of the words");
  return callUnaligned(builder, loc, position,
                       target::intrinsic::WordsFromPrefix +
                           std::to_string(count),
                       enclosing.take_front(count + 2), count);
}

/// Returns the `total` enclosing words with `words` at their position and zeros
/// around them.
static SmallVector<Value> wordsIntoEnclosing(OpBuilder &builder, Location loc,
                                             const BurstPosition &position,
                                             ArrayRef<Value> words,
                                             unsigned total) {
  SmallVector<Value> placed = callUnaligned(builder, loc, position,
                                            target::intrinsic::WordsIntoPrefix +
                                                std::to_string(words.size()),
                                            words, words.size() + 2);
  placed.resize(total, constantWord(builder, loc, 0));
  return placed;
}

/// As wordsIntoEnclosing, for constants. Ones between ones need no code.
static SmallVector<Value> masksIntoEnclosing(OpBuilder &builder, Location loc,
                                             const BurstPosition &position,
                                             ArrayRef<uint32_t> masks,
                                             unsigned total) {
  constexpr uint32_t ones = ~uint32_t(0);
  Value zero = constantWord(builder, loc, 0);
  Value bits = shift(builder, loc, position.byte, 3, /*isLeft=*/true);
  SmallVector<Value> shifted, placed;
  for (unsigned i = 0; i <= masks.size(); ++i) {
    uint32_t high = i ? masks[i - 1] : 0, low = i < masks.size() ? masks[i] : 0;
    shifted.push_back(high == ones && low == ones
                          ? constantWord(builder, loc, ones)
                          : funnelRight(builder, loc,
                                        constantWord(builder, loc, high),
                                        constantWord(builder, loc, low), bits));
  }
  auto at = [&](unsigned i) { return i < shifted.size() ? shifted[i] : zero; };
  for (unsigned i = 0; i < total; ++i)
    placed.push_back(builder.create<LLVM::SelectOp>(
        loc, position.isSecond, i ? at(i - 1) : zero, at(i)));
  return placed;
}

uint32_t maskWord(uint64_t byteMask, unsigned word) {
  uint32_t bits = 0;
  for (unsigned byte = 0; byte < bytesPerWord; ++byte)
    if (byteMask >> (bytesPerWord * word + byte) & 1)
      bits |= 0xffu << (24 - 8 * byte);
  return bits;
}

/// Returns the bits of `word` where `mask` has ones, and those of `old`
/// elsewhere.
static Value mergeWord(OpBuilder &builder, Location loc, Value old, Value word,
                       Value mask) {
  Value keep = builder.create<LLVM::XOrOp>(
      loc, mask, constantWord(builder, loc, ~uint32_t(0)));
  Value kept = builder.create<LLVM::AndOp>(loc, old, keep);
  return bitOr(builder, loc, kept,
               builder.create<LLVM::AndOp>(loc, word, mask));
}

SmallVector<Value> loadAtHead(OpBuilder &builder, ir::PacketLoadOp op,
                              Value handle, Value head, bool usesAlignment) {
  Location loc = op.getLoc();
  unsigned count = op.getWords().size();
  bool isOneCommand = enclosingWords(count) <= commandWords;
  if (op.getAligned() && (usesAlignment || !isOneCommand)) {
    Value address = addressOf(builder, loc, handle,
                              add(builder, loc, head, uint32_t(op.getAt())));
    return loadBurst(builder, loc,
                     pointerTo(builder, loc, address, target::DramSpace), count,
                     bytesPerQuadword);
  }
  BurstPosition position =
      burstPosition(builder, loc, handle, head, op.getAt());
  SmallVector<Value> enclosing = loadBurst(
      builder, loc, position.base, enclosingWords(count), bytesPerQuadword);
  return wordsFromEnclosing(builder, loc, position, enclosing, count);
}

void storeAtHead(OpBuilder &builder, ir::PacketStoreOp op, Value handle,
                 Value head, ArrayRef<Value> words) {
  Location loc = op.getLoc();
  if (op.getAligned()) {
    Value address = addressOf(builder, loc, handle,
                              add(builder, loc, head, uint32_t(op.getAt())));
    storeBurst(builder, loc,
               pointerTo(builder, loc, address, target::DramSpace), words,
               bytesPerQuadword);
    return;
  }
  uint64_t byteMask = op.byteMask();
  unsigned count = words.size(), total = enclosingWords(count);
  BurstPosition position =
      burstPosition(builder, loc, handle, head, op.getAt());
  SmallVector<uint32_t> masks;
  for (unsigned i = 0; i < count; ++i)
    masks.push_back(maskWord(byteMask, i));
  SmallVector<Value> placed =
      wordsIntoEnclosing(builder, loc, position, words, total);
  SmallVector<Value> placedMasks =
      masksIntoEnclosing(builder, loc, position, masks, total);
  SmallVector<Value> merged =
      loadBurst(builder, loc, position.base, total, bytesPerQuadword);
  for (unsigned i = 0; i < total; ++i)
    merged[i] = mergeWord(builder, loc, merged[i], placed[i], placedMasks[i]);
  storeBurst(builder, loc, position.base, merged, bytesPerQuadword);
}

Value loadHead(OpBuilder &builder, Location loc, Value handle) {
  Value address = shift(
      builder, loc, add(builder, loc, handle, target::DescriptorHeadLength), 2,
      /*isLeft=*/true);
  Value word = builder.create<LLVM::LoadOp>(
      loc, builder.getI32Type(),
      pointerTo(builder, loc, address, target::SramSpace), bytesPerWord);
  return shift(builder, loc, word, 16, /*isLeft=*/false);
}

namespace {

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

struct PacketLoad : ToLlvmPattern<ir::PacketLoadOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketLoadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned count = op.getWords().size();
    int32_t at = op.getAt();
    SmallVector<Value> words;
    if (context.core == ir::Core::Me) {
      words = loadAtHead(rewriter, op, adaptor.getPacket(),
                         loadHead(rewriter, loc, adaptor.getPacket()),
                         /*usesAlignment=*/false);
    } else {
      for (unsigned i = 0; i < count; ++i)
        words.push_back(resize(
            rewriter, loc,
            callPrimitive(
                rewriter, op, target::runtime::PacketRead, 2 * wordBits,
                {adaptor.getPacket(),
                 constantWord(rewriter, loc, 8 * (at + bytesPerWord * i)),
                 constantWord(rewriter, loc, wordBits)}),
            wordBits));
    }
    rewriter.replaceOp(op, words);
    return mlir::success();
  }
};

struct PacketStore : ToLlvmPattern<ir::PacketStoreOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketStoreOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value handle = adaptor.getPacket();
    if (context.core == ir::Core::Me)
      storeAtHead(rewriter, op, handle, loadHead(rewriter, loc, handle),
                  llvm::to_vector(adaptor.getWords()));
    else
      writeByPrimitives(op, adaptor, rewriter);
    rewriter.eraseOp(op);
    return mlir::success();
  }

  /// Writes each range of bytes within a word with the primitive for fields.
  void writeByPrimitives(ir::PacketStoreOp op, Adaptor adaptor,
                         Rewriter &rewriter) const {
    Location loc = op.getLoc();
    uint64_t mask = op.byteMask();
    for (auto [i, word] : llvm::enumerate(adaptor.getWords())) {
      for (unsigned byte = 0; byte < bytesPerWord; ++byte) {
        unsigned end = byte;
        while (end < bytesPerWord && mask >> (bytesPerWord * i + end) & 1)
          ++end;
        if (end == byte)
          continue;
        Value bytes = shift(rewriter, loc, word, 8 * (bytesPerWord - end),
                            /*isLeft=*/false);
        callPrimitive(rewriter, op, target::runtime::PacketWrite, 0,
                      {adaptor.getPacket(),
                       constantWord(rewriter, loc,
                                    8 * (op.getAt() + bytesPerWord * i + byte)),
                       constantWord(rewriter, loc, 8 * (end - byte)),
                       resize(rewriter, loc, bytes, 64)});
        byte = end;
      }
    }
  }
};

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

Value descriptorPointer(OpBuilder &builder, Location loc, Value handle,
                        uint32_t word) {
  Value address =
      shift(builder, loc, add(builder, loc, handle, word), 2, /*isLeft=*/true);
  return pointerTo(builder, loc, address, target::SramSpace);
}

struct MetaLoad : ToLlvmPattern<ir::MetaLoadOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::MetaLoadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (context.isHost())
      return op.emitError() << "the host has no descriptors in memory";
    rewriter.replaceOp(
        op, loadBurst(rewriter, loc,
                      descriptorPointer(rewriter, loc, adaptor.getPacket(),
                                        op.getWord()),
                      op.getWords().size(), bytesPerWord));
    return mlir::success();
  }
};

struct MetaStore : ToLlvmPattern<ir::MetaStoreOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::MetaStoreOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (context.isHost())
      return op.emitError() << "the host has no descriptors in memory";
    storeBurst(
        rewriter, loc,
        descriptorPointer(rewriter, loc, adaptor.getPacket(), op.getWord()),
        llvm::to_vector(adaptor.getWords()), bytesPerWord);
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

} // namespace

void addAccessPatterns(RewritePatternSet &patterns,
                       const LLVMTypeConverter &converter,
                       ToLlvmContext &context) {
  patterns.add<PacketLoad, PacketStore, MetaLoad, MetaStore>(converter,
                                                             context);
}

} // namespace karakal::passes
