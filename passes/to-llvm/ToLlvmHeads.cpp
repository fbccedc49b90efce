// Accesses of packets with a known head.
//
// If `baker.head` gives the offset of a packet's head, or its remainder modulo
// 8 or 4, an access becomes a command for the DRAM quadwords that it needs and
// shifts by constants:
//
//   %t = baker.packet_read %ih "ttl" {baker.head = #baker.head<offset 142>}
//
//   %q = load <2 x i32>, ptr addrspace(2) (%ih << 7) + 144   ; bytes 144..151
//   %t = trunc (lshr %q[1], 8) to i8                         ; byte 150
//
// If only the alignment is known, the address is computed from the head, which
// is a value if the packet is a `baker.packet_view`, and read from the
// descriptor otherwise. With an alignment of 4 the words are selected from one
// of two positions in the quadwords.
//
// A write of whole quadwords, or of bytes of one quadword, is one command. Any
// other write reads, merges and writes. Section 5.3.2 of the paper, step 8.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "mlir/IR/Matchers.h"
#include "passes/to-llvm/ToLlvmAccess.h"
#include "passes/to-llvm/ToLlvmPatterns.h"
#include "support/Assert.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

#include <optional>

using namespace mlir;

namespace karakal::passes {

namespace {

constexpr int32_t wordBytes = 4, quadBytes = 8;

/// Consecutive words that start at a multiple of 4 bytes in the buffer.
struct Burst {
  SmallVector<Value> words;
  /// For stores: the bits of each word to write.
  SmallVector<uint32_t> masks;
};

/// Emits the code of one access.
class Access {
public:
  Access(OpBuilder &builder, Operation *op, Value handle)
      : builder(builder), module(op->getParentOfType<ModuleOp>()),
        loc(op->getLoc()), handle(handle) {}

  /// The position of the packet's head is `head` + `offset`. If `head` is not
  /// null, it is a multiple of `modulus` (4 or 8).
  Value head;
  int32_t offset = 0;
  uint32_t modulus = 8;

  /// Bits from the start of the word that contains the head to the head.
  int32_t headBit() const { return (offset & (wordBytes - 1)) * 8; }

  /// Loads `count` words. The first one is `index` words after the word that
  /// contains the head.
  SmallVector<Value> load(int32_t index, unsigned count);
  void store(int32_t index, const Burst &burst);

  Value word(uint32_t value) { return constantWord(builder, loc, value); }
  Value shiftLeft(Value value, unsigned amount);
  Value shiftRight(Value value, unsigned amount);
  Value bitOr(Value a, Value b);
  Value maskWith(Value value, uint32_t mask);
  /// Returns the 32 bits of `high:low` from bit `bit` (0..31) of `high`.
  Value funnel(Value high, Value low, unsigned bit);

private:
  /// The quadwords that contain the words from `index` on.
  struct Quads {
    Value pointer;
    unsigned words;
    /// The position of the first word, if it is known ...
    unsigned first;
    /// ... else i1: whether it is one word later.
    Value isOdd;
  };
  Quads quadsOf(int32_t index, unsigned count);
  bool storeMasked(const Quads &quads, const Burst &burst);
  SmallVector<Value> loadQuads(const Quads &quads);
  Value pointerTo(Value base, int32_t bytes);
  Value choose(Value isOdd, Value odd, Value even);
  Value add(Value a, Value b) { return builder.create<LLVM::AddOp>(loc, a, b); }

  OpBuilder &builder;
  ModuleOp module;
  Location loc;
  Value handle;
};

Value Access::shiftLeft(Value value, unsigned amount) {
  return amount ? builder.create<LLVM::ShlOp>(loc, value, word(amount)) : value;
}

Value Access::shiftRight(Value value, unsigned amount) {
  return amount ? builder.create<LLVM::LShrOp>(loc, value, word(amount))
                : value;
}

Value Access::bitOr(Value a, Value b) {
  return builder.create<LLVM::OrOp>(loc, a, b);
}

Value Access::maskWith(Value value, uint32_t mask) {
  return mask == ~0u ? value
                     : builder.create<LLVM::AndOp>(loc, value, word(mask));
}

Value Access::funnel(Value high, Value low, unsigned bit) {
  return bit ? bitOr(shiftLeft(high, bit), shiftRight(low, wordBits - bit))
             : high;
}

Value Access::choose(Value isOdd, Value odd, Value even) {
  return builder.create<LLVM::SelectOp>(loc, isOdd, odd, even);
}

/// The constant part of the address is a GEP index, so that LLVM sees which
/// accesses of a packet do not overlap.
Value Access::pointerTo(Value base, int32_t bytes) {
  Value address = shiftLeft(handle, target::HandleToDramShift);
  if (base)
    address = add(address, base);
  Type type =
      LLVM::LLVMPointerType::get(builder.getContext(), target::DramSpace);
  Value pointer = builder.create<LLVM::IntToPtrOp>(loc, type, address);
  if (bytes == 0)
    return pointer;
  return builder.create<LLVM::GEPOp>(loc, type, builder.getI8Type(), pointer,
                                     ArrayRef<LLVM::GEPArg>{bytes});
}

Access::Quads Access::quadsOf(int32_t index, unsigned count) {
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

SmallVector<Value> Access::loadQuads(const Quads &quads) {
  auto type = VectorType::get(quads.words, builder.getI32Type());
  Value loaded =
      builder.create<LLVM::LoadOp>(loc, type, quads.pointer, quadBytes);
  SmallVector<Value> words;
  for (unsigned i = 0; i < quads.words; ++i)
    words.push_back(
        builder.create<LLVM::ExtractElementOp>(loc, loaded, word(i)));
  return words;
}

SmallVector<Value> Access::load(int32_t index, unsigned count) {
  KARAKAL_ASSERT(modulus == 4 || modulus == 8, "words are aligned");
  Quads quads = quadsOf(index, count);
  SmallVector<Value> all = loadQuads(quads), words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(quads.isOdd ? choose(quads.isOdd, all[i + 1], all[i])
                                : all[quads.first + i]);
  return words;
}

/// Returns a bit for each byte of `mask`, bit 0 for the first byte, or nothing
/// if the mask has a part of a byte.
std::optional<uint32_t> bytesOf(uint32_t mask) {
  uint32_t bytes = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    uint32_t bits = mask >> (24 - 8 * byte) & 0xff;
    if (bits != 0 && bits != 0xff)
      return std::nullopt;
    bytes |= uint32_t(bits != 0) << byte;
  }
  return bytes;
}

/// Writes some bytes of one quadword with one command and no read, if possible.
bool Access::storeMasked(const Quads &quads, const Burst &burst) {
  Value words[2] = {word(0), word(0)};
  uint32_t mask = 0;
  if (quads.words != 2 || (quads.isOdd && burst.words.size() != 1))
    return false;
  for (unsigned i = 0; i < burst.words.size(); ++i) {
    std::optional<uint32_t> bytes = bytesOf(burst.masks[i]);
    if (!bytes)
      return false;
    mask |= *bytes << (4 * (quads.first + i));
    words[quads.first + i] = burst.words[i];
  }
  if (mask == 0xff)
    return false; // a plain write
  Value maskValue = word(mask);
  if (quads.isOdd) {
    words[1] = words[0];
    maskValue = choose(quads.isOdd, word(mask << 4), maskValue);
  }
  SmallVector<Value> operands{quads.pointer, maskValue, words[0], words[1]};
  LLVM::LLVMFuncOp callee =
      declareRuntime(module, target::intrinsic::DramWriteMasked,
                     LLVM::LLVMVoidType::get(builder.getContext()),
                     llvm::to_vector(ValueRange(operands).getTypes()));
  builder.create<LLVM::CallOp>(loc, callee, operands);
  return true;
}

void Access::store(int32_t index, const Burst &burst) {
  unsigned count = burst.words.size();
  KARAKAL_ASSERT(burst.masks.size() == count, "a mask for each word");
  Quads quads = quadsOf(index, count);
  if (storeMasked(quads, burst))
    return;
  bool isWhole = !quads.isOdd && quads.words == count &&
                 llvm::all_of(burst.masks, [](uint32_t m) { return m == ~0u; });
  SmallVector<Value> words;
  if (isWhole)
    words = burst.words;
  else
    words = loadQuads(quads);
  for (unsigned i = 0; i < quads.words && !isWhole; ++i) {
    // The mask for word i if the first word of the burst is word `first`.
    auto maskFrom = [&](unsigned first) {
      return i >= first && i - first < count ? burst.masks[i - first] : 0u;
    };
    auto partFrom = [&](unsigned first) {
      uint32_t mask = maskFrom(first);
      return mask ? maskWith(burst.words[i - first], mask) : word(0);
    };
    if (!quads.isOdd) {
      uint32_t mask = maskFrom(quads.first);
      if (mask)
        words[i] = mask == ~0u ? burst.words[i - quads.first]
                               : bitOr(maskWith(words[i], ~mask),
                                       partFrom(quads.first));
      continue;
    }
    Value keep = choose(quads.isOdd, word(~maskFrom(1)), word(~maskFrom(0)));
    Value kept = builder.create<LLVM::AndOp>(loc, words[i], keep);
    words[i] = bitOr(kept, choose(quads.isOdd, partFrom(1), partFrom(0)));
  }
  auto type = VectorType::get(quads.words, builder.getI32Type());
  Value vector = builder.create<LLVM::PoisonOp>(loc, type);
  for (unsigned i = 0; i < quads.words; ++i)
    vector =
        builder.create<LLVM::InsertElementOp>(loc, vector, words[i], word(i));
  builder.create<LLVM::StoreOp>(loc, vector, quads.pointer, quadBytes);
}

//===----------------------------------------------------------------------===//
// Known heads
//===----------------------------------------------------------------------===//

/// Returns the head of `packet` if it is a value outside of the descriptor, or
/// null.
Value headValue(ConversionPatternRewriter &rewriter, Value packet) {
  auto view = packet.getDefiningOp<ir::PacketViewOp>();
  return view ? rewriter.getRemappedValue(view.getHead()) : Value();
}

/// Returns the known head of `packet` at `op`, or null.
ir::HeadAttr knownHead(Operation *op, Value packet) {
  if (auto view = packet.getDefiningOp<ir::PacketViewOp>()) {
    APInt head;
    if (matchPattern(view.getHead(), m_ConstantInt(&head)))
      return ir::HeadAttr::atOffset(op->getContext(), head.getZExtValue());
  }
  return op->getAttrOfType<ir::HeadAttr>(ir::headAttrName);
}

/// Returns an access of `packet` with constant shifts, if the alignment of the
/// head allows it. `moved`, a multiple of `movedBy` bytes, is added to the
/// head.
std::optional<Access> makeAccess(ConversionPatternRewriter &rewriter,
                                 Operation *op, Value packet, Value handle,
                                 Value moved = {}, uint32_t movedBy = 8) {
  ir::HeadAttr known = knownHead(op, packet);
  if (!known || (!known.isExact() && known.getModulus() < 4) || movedBy < 4)
    return std::nullopt;
  Access access(rewriter, op, handle);
  access.offset = int32_t(known.getValue());
  if (!known.isExact()) {
    access.modulus = known.getModulus();
    Value head = headValue(rewriter, packet);
    if (!head)
      head = loadHead(rewriter, op->getLoc(), handle);
    access.head = rewriter.create<LLVM::SubOp>(op->getLoc(), head,
                                               access.word(known.getValue()));
  }
  if (moved) {
    access.modulus = std::min(access.modulus, movedBy);
    access.head = access.head ? rewriter.create<LLVM::AddOp>(op->getLoc(),
                                                             access.head, moved)
                              : moved;
  }
  return access;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// A field of up to 64 bits from bit `bit` (0..31) of the first of its words.
struct FieldPosition {
  int32_t index;
  unsigned bit, width;

  unsigned wordCount() const { return (bit + width + wordBits - 1) / wordBits; }
};

FieldPosition positionOf(const Access &access, uint32_t bitOffset,
                         unsigned width) {
  int32_t position = access.headBit() + int32_t(bitOffset);
  return {position / int32_t(wordBits), unsigned(position) % wordBits, width};
}

/// Returns `count` (1..32) bits from bit `bit` of `words`, right-aligned.
Value extract(Access &access, ArrayRef<Value> words, unsigned bit,
              unsigned count) {
  KARAKAL_ASSERT(count >= 1 && count <= wordBits &&
                     bit + count <= wordBits * words.size(),
                 "the bits are in the words");
  unsigned end = bit + count;
  unsigned first = bit / wordBits, last = (end - 1) / wordBits;
  uint32_t mask = count == wordBits ? ~0u : (1u << count) - 1;
  unsigned rest = (last + 1) * wordBits - end;
  if (first == last) {
    Value value = access.shiftRight(words[first], rest);
    return bit % wordBits == 0 ? value : access.maskWith(value, mask);
  }
  Value value = access.bitOr(access.shiftLeft(words[first], wordBits - rest),
                             access.shiftRight(words[last], rest));
  return access.maskWith(value, mask);
}

/// Returns the access of `op`'s field, if its alignment is known.
template <typename Op>
std::optional<Access> fieldAccess(Op op, Value index, Value handle,
                                  ConversionPatternRewriter &rewriter) {
  ir::ProtocolFieldAttr field =
      ir::lookupField(op, op.getPacket().getType(), op.getField());
  if (!index)
    return makeAccess(rewriter, op, op.getPacket(), handle);
  // Elements of 32 or 64 bits keep the alignment.
  if (field.getWidth() % wordBits != 0)
    return std::nullopt;
  uint32_t bytes = field.getWidth() / 8;
  Value moved = rewriter.create<LLVM::MulOp>(
      op.getLoc(), index, constantWord(rewriter, op.getLoc(), bytes));
  return makeAccess(rewriter, op, op.getPacket(), handle, moved, bytes);
}

/// Returns the bit position in the buffer of a field with unknown alignment, or
/// null if the packet's head is not a value.
template <typename Op>
Value positionOf(Op op, Value index, ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value head = headValue(rewriter, op.getPacket());
  if (!head)
    return {};
  ir::ProtocolFieldAttr field =
      ir::lookupField(op, op.getPacket().getType(), op.getField());
  Value position =
      rewriter.create<LLVM::ShlOp>(loc, head, constantWord(rewriter, loc, 3));
  position = rewriter.create<LLVM::AddOp>(
      loc, position, constantWord(rewriter, loc, field.getOffset()));
  if (!index)
    return position;
  Value scaled = rewriter.create<LLVM::MulOp>(
      loc, index, constantWord(rewriter, loc, field.getWidth()));
  return rewriter.create<LLVM::AddOp>(loc, position, scaled);
}

/// A pattern for known heads, with precedence over the general pattern.
template <typename Op> class HeadPattern : public ConvertOpToLLVMPattern<Op> {
public:
  HeadPattern(const LLVMTypeConverter &converter, ToLlvmContext &context)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2), context(context) {
  }

protected:
  using Adaptor = typename Op::Adaptor;
  using Rewriter = ConversionPatternRewriter;

  ToLlvmContext &context;
};

struct ReadField : HeadPattern<ir::PacketReadOp> {
  using HeadPattern::HeadPattern;
  LogicalResult matchAndRewrite(ir::PacketReadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    Value handle = adaptor.getPacket();
    auto access = fieldAccess(op, adaptor.getIndex(), handle, rewriter);
    if (!access) {
      Value position = positionOf(op, adaptor.getIndex(), rewriter);
      if (!position)
        return mlir::failure();
      Value value = callRuntime(
          rewriter, op, target::runtime::PacketReadAt, rewriter.getI64Type(),
          {handle, position, constantWord(rewriter, loc, width)});
      rewriter.replaceOp(op, resize(rewriter, loc, value, width));
      return mlir::success();
    }
    uint32_t offset =
        ir::lookupField(op, op.getPacket().getType(), op.getField())
            .getOffset();
    FieldPosition position = positionOf(*access, offset, width);
    SmallVector<Value> words =
        access->load(position.index, position.wordCount());
    unsigned low = std::min(width, wordBits);
    Value value = extract(*access, words, position.bit + width - low, low);
    if (width > wordBits)
      value = joinWords(rewriter, loc,
                        extract(*access, words, position.bit, width - wordBits),
                        value);
    rewriter.replaceOp(op, resize(rewriter, loc, value, width));
    return mlir::success();
  }
};

/// Returns the words and masks of a field's value `high:low`, shifted to its
/// position.
Burst spread(Access &access, const FieldPosition &position, Value high,
             Value low) {
  // Left-aligned in two words, then shifted right by `bit` into three.
  uint64_t ones = ~uint64_t(0) << (64 - position.width);
  Value first, second = access.word(0);
  if (position.width <= wordBits) {
    first = access.shiftLeft(low, wordBits - position.width);
  } else {
    unsigned unused = 64 - position.width;
    first = access.funnel(high, low, unused);
    second = access.shiftLeft(low, unused);
  }
  uint32_t firstMask = uint32_t(ones >> 32), secondMask = uint32_t(ones);
  unsigned bit = position.bit;
  Burst burst;
  burst.words = {access.shiftRight(first, bit)};
  burst.masks = {firstMask >> bit};
  if (position.wordCount() > 1) {
    burst.words.push_back(bit ? access.funnel(first, second, wordBits - bit)
                              : second);
    burst.masks.push_back(
        bit ? firstMask << (wordBits - bit) | secondMask >> bit : secondMask);
  }
  if (position.wordCount() > 2) {
    burst.words.push_back(access.shiftLeft(second, wordBits - bit));
    burst.masks.push_back(secondMask << (wordBits - bit));
  }
  return burst;
}

struct WriteField : HeadPattern<ir::PacketWriteOp> {
  using HeadPattern::HeadPattern;
  LogicalResult matchAndRewrite(ir::PacketWriteOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    Value handle = adaptor.getPacket(), value = adaptor.getValue();
    auto access = fieldAccess(op, adaptor.getIndex(), handle, rewriter);
    if (!access) {
      Value position = positionOf(op, adaptor.getIndex(), rewriter);
      if (!position)
        return mlir::failure();
      callRuntime(rewriter, op, target::runtime::PacketWriteAt, {},
                  {handle, position, constantWord(rewriter, loc, width),
                   resize(rewriter, loc, value, 64)});
      rewriter.eraseOp(op);
      return mlir::success();
    }
    uint32_t offset =
        ir::lookupField(op, op.getPacket().getType(), op.getField())
            .getOffset();
    Value low = resize(rewriter, loc, value, wordBits), high;
    if (width > wordBits)
      high = highWord(rewriter, loc, resize(rewriter, loc, value, 64));
    FieldPosition position = positionOf(*access, offset, width);
    access->store(position.index, spread(*access, position, high, low));
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

//===----------------------------------------------------------------------===//
// Bursts
//===----------------------------------------------------------------------===//

struct LoadBurst : HeadPattern<ir::PacketLoadOp> {
  using HeadPattern::HeadPattern;
  LogicalResult matchAndRewrite(ir::PacketLoadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    unsigned count = op.getWords().size();
    Value handle = adaptor.getPacket();
    auto access = makeAccess(rewriter, op, op.getPacket(), handle);
    if (!access) {
      Value head = headValue(rewriter, op.getPacket());
      if (!head)
        return mlir::failure();
      rewriter.replaceOp(op, loadAtHead(rewriter, op, handle, head,
                                        /*usesAlignment=*/true));
      return mlir::success();
    }
    int32_t position = access->headBit() + 8 * op.getAt();
    unsigned bit = unsigned(position) % wordBits;
    SmallVector<Value> words =
        access->load(position >> 5, count + (bit ? 1 : 0));
    for (unsigned i = 0; i < count && bit; ++i)
      words[i] = access->funnel(words[i], words[i + 1], bit);
    words.resize(count);
    rewriter.replaceOp(op, words);
    return mlir::success();
  }
};

struct StoreBurst : HeadPattern<ir::PacketStoreOp> {
  using HeadPattern::HeadPattern;
  LogicalResult matchAndRewrite(ir::PacketStoreOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Value handle = adaptor.getPacket();
    auto access = makeAccess(rewriter, op, op.getPacket(), handle);
    if (!access) {
      Value head = headValue(rewriter, op.getPacket());
      if (!head)
        return mlir::failure();
      storeAtHead(rewriter, op, handle, head,
                  llvm::to_vector(adaptor.getWords()));
      rewriter.eraseOp(op);
      return mlir::success();
    }
    int32_t position = access->headBit() + 8 * op.getAt();
    unsigned bit = unsigned(position) % wordBits;
    unsigned count = op.getWords().size();
    Burst burst;
    for (unsigned i = 0; i < count + (bit ? 1 : 0); ++i) {
      uint32_t here = i < count ? maskWord(op.byteMask(), i) : 0;
      uint32_t before = bit && i ? maskWord(op.byteMask(), i - 1) : 0;
      burst.masks.push_back(here >> bit |
                            (bit ? before << (wordBits - bit) : 0));
      Value zero = access->word(0);
      Value low = i < count ? adaptor.getWords()[i] : zero;
      Value high = i ? adaptor.getWords()[i - 1] : zero;
      burst.words.push_back(bit ? access->funnel(high, low, wordBits - bit)
                                : low);
    }
    access->store(position >> 5, burst);
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

} // namespace

void addHeadPatterns(RewritePatternSet &patterns,
                     const LLVMTypeConverter &converter,
                     ToLlvmContext &context) {
  patterns.add<ReadField, WriteField, LoadBurst, StoreBurst>(converter,
                                                             context);
}

} // namespace karakal::passes
