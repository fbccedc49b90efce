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
// descriptor otherwise. HeadAccess.h makes the commands.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "mlir/IR/Matchers.h"
#include "passes/to-llvm/HeadAccess.h"
#include "passes/to-llvm/ToLlvmPatterns.h"
#include "support/Assert.h"
#include "target-ixp/chip/RuntimeNames.h"

#include <optional>

using namespace mlir;

namespace karakal::passes {

namespace {

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
std::optional<HeadAccess> makeAccess(ConversionPatternRewriter &rewriter,
                                     Operation *op, Value packet, Value handle,
                                     Value moved = {}, uint32_t movedBy = 8) {
  ir::HeadAttr known = knownHead(op, packet);
  if (!known || (!known.isExact() && known.getModulus() < 4) || movedBy < 4)
    return std::nullopt;
  HeadAccess access(rewriter, op, handle);
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

FieldPosition positionOf(const HeadAccess &access, uint32_t bitOffset,
                         unsigned width) {
  int32_t position = access.headBit() + int32_t(bitOffset);
  return {position / int32_t(wordBits), unsigned(position) % wordBits, width};
}

/// Returns `count` (1..32) bits from bit `bit` of `words`, right-aligned.
Value extract(HeadAccess &access, ArrayRef<Value> words, unsigned bit,
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
std::optional<HeadAccess> fieldAccess(Op op, Value index, Value handle,
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
Burst spread(HeadAccess &access, const FieldPosition &position, Value high,
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
