// Packets and metadata as primitive calls.
//
// Each operation on a packet becomes a call of one packet primitive:
//
//   %t = baker.packet_read %ph "type"    →   %0 = call i64
//                                              @baker_packet_read(%ph, 96, 16)
//                                            %t = trunc %0 to i16

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "passes/to-llvm/ToLlvmPatterns.h"
#include "support/Assert.h"
#include "target-ixp/chip/PathMarks.h"
#include "target-ixp/chip/Punts.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::passes {

namespace {

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

/// Returns the bit offset of a field, or of an element of it, in its header.
template <typename Op>
Value bitOffset(Op op, Value index, ConversionPatternRewriter &rewriter) {
  ir::ProtocolFieldAttr field =
      ir::lookupField(op, op.getPacket().getType(), op.getField());
  KARAKAL_ASSERT(field, "the packet's protocol has the field");
  Location loc = op.getLoc();
  Value offset = constantWord(rewriter, loc, field.getOffset());
  if (!index)
    return offset;
  Value scaled = rewriter.create<LLVM::MulOp>(
      loc, index, constantWord(rewriter, loc, field.getWidth()));
  return rewriter.create<LLVM::AddOp>(loc, offset, scaled);
}

struct PacketRead : ToLlvmPattern<ir::PacketReadOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketReadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    Value value = callPrimitive(rewriter, op, target::runtime::PacketRead, 64,
                                {adaptor.getPacket(),
                                 bitOffset(op, adaptor.getIndex(), rewriter),
                                 constantWord(rewriter, op.getLoc(), width)});
    rewriter.replaceOp(op, resize(rewriter, op.getLoc(), value, width));
    return success();
  }
};

struct PacketWrite : ToLlvmPattern<ir::PacketWriteOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketWriteOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    callPrimitive(rewriter, op, target::runtime::PacketWrite, 0,
                  {adaptor.getPacket(),
                   bitOffset(op, adaptor.getIndex(), rewriter),
                   constantWord(rewriter, op.getLoc(), width),
                   resize(rewriter, op.getLoc(), adaptor.getValue(), 64)});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers an operation to a call of one primitive. Its operands are the
/// primitive's arguments; its result, if any, is a word.
template <typename Op> struct WordPrimitive : ToLlvmPattern<Op> {
  WordPrimitive(const LLVMTypeConverter &converter, ToLlvmContext &context,
                StringRef name)
      : ToLlvmPattern<Op>(converter, context), name(name) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    unsigned width = op->getNumResults() ? wordBits : 0;
    Value result =
        callPrimitive(rewriter, op, name, width, adaptor.getOperands());
    if (result)
      rewriter.replaceOp(op, result);
    else
      rewriter.eraseOp(op);
    return success();
  }

  StringRef name;
};

/// Lowers packet_headroom to a constant if baker-soar knows the head.
struct PacketHeadroom : ToLlvmPattern<ir::PacketHeadroomOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketHeadroomOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    auto head = op->getAttrOfType<ir::HeadAttr>(ir::headAttrName);
    Value bytes =
        head && head.isExact()
            ? constantWord(rewriter, op.getLoc(), head.getValue())
            : callPrimitive(rewriter, op, target::runtime::PacketHeadroom,
                            wordBits, adaptor.getPacket());
    rewriter.replaceOp(op, bytes);
    return success();
  }
};

struct PacketDrop : ToLlvmPattern<ir::PacketDropOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketDropOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Value reason =
        constantWord(rewriter, op.getLoc(), ir::dropReasonNumber(op));
    if (context.core == ir::Core::Me)
      callRuntime(rewriter, op, target::intrinsic::PathDrop, {}, reason);
    callPrimitive(rewriter, op, target::runtime::PacketDrop, 0,
                  {adaptor.getPacket(), reason});
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

struct PacketTake : ToLlvmPattern<ir::PacketTakeOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketTakeOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    // The host gets messages by itself: this one comes from a queue.
    if (context.core == ir::Core::Host) {
      rewriter.replaceOp(op, callPrimitive(rewriter, op,
                                           target::runtime::PacketFetch,
                                           wordBits, adaptor.getFirst()));
      return success();
    }
    rewriter.replaceOpWithNewOp<LLVM::AndOp>(
        op, adaptor.getFirst(),
        constantWord(rewriter, op.getLoc(), target::HandleMask));
    return success();
  }
};

struct PacketKeep : ToLlvmPattern<ir::PacketKeepOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketKeepOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    // Only the engines have packets with tickets.
    if (context.core != ir::Core::XScale)
      callPrimitive(rewriter, op,
                    context.core == ir::Core::Me ? target::runtime::LeaveOrder
                                                 : target::runtime::PacketKeep,
                    0, adaptor.getPacket());
    rewriter.replaceOp(op, adaptor.getPacket());
    return success();
  }
};

struct PacketHeld : ToLlvmPattern<ir::PacketHeldOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketHeldOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(
        op, LLVM::ICmpPredicate::ne, adaptor.getPacket(),
        constantWord(rewriter, op.getLoc(), 0));
    return success();
  }
};

struct PacketSend : ToLlvmPattern<ir::PacketSendOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketSendOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    static_assert(target::RingPortShift == target::RingChannelShift);
    Value number = adaptor.getPort();
    if (number)
      number = rewriter.create<LLVM::ShlOp>(
          loc, number, constantWord(rewriter, loc, target::RingPortShift));
    else
      number =
          constantWord(rewriter, loc, op.getId() << target::RingChannelShift);
    Value first = rewriter.create<LLVM::OrOp>(loc, number, adaptor.getPacket());
    if (op.getMessage()) {
      rewriter.replaceOp(op, first);
      return success();
    }
    Value second = adaptor.getHeadLength() ? adaptor.getHeadLength()
                                           : constantWord(rewriter, loc, 0);
    uint32_t ring = op.getRing();
    if (ir::PuntAttr punt = op.getPuntAttr()) {
      uint32_t limits =
          target::puntLimits(punt.getWaiting(), punt.getPerWindow());
      callPrimitive(
          rewriter, op, target::runtime::Punt, 0,
          {first,
           constantWord(rewriter, loc, target::puntState(punt.getNumber())),
           constantWord(rewriter, loc, limits),
           constantWord(rewriter, loc, *op.getReason())});
    } else if (ring == target::RingToXScale) {
      callPrimitive(rewriter, op, target::runtime::PuntWaiting, 0, {first});
    } else if (target::isNeighbourRing(ring)) {
      KARAKAL_ASSERT(!op.getReason(), "a cycle stays inside an aggregate");
      callPrimitive(rewriter, op, target::runtime::NeighbourPut, 0, {first});
    } else {
      putOnRing(op, ring, first, second, rewriter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Puts a message on a scratch or SRAM ring. If the ring lies on a cycle, the
  /// put may drop the packet.
  void putOnRing(ir::PacketSendOp op, uint32_t ring, Value first, Value second,
                 Rewriter &rewriter) const {
    Location loc = op.getLoc();
    bool isSram = target::isSramRing(ring), isTx = ring == target::RingTx;
    uint32_t address = isSram ? target::queueWord(target::SramRingChannel,
                                                  target::sramRingEntry(ring))
                              : ring;
    SmallVector<Value> operands = {constantWord(rewriter, loc, address), first};
    if (isTx)
      operands.push_back(second);
    std::optional<uint32_t> reason = op.getReason();
    KARAKAL_ASSERT(!isTx || !reason, "the ring to Tx lies on no cycle");
    if (reason)
      operands.push_back(constantWord(rewriter, loc, *reason));
    using namespace target::runtime;
    StringRef put = isSram ? (reason ? SramRingOffer : SramRingPut)
                    : isTx ? ChannelPut
                           : (reason ? ChannelOffer : ChannelPutWord);
    callPrimitive(rewriter, op, put, 0, operands);
  }
};

struct PacketView : ToLlvmPattern<ir::PacketViewOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::PacketViewOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getPacket());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// Returns the descriptor word of a declared field.
FailureOr<uint32_t> descriptorWord(Operation *op, FlatSymbolRefAttr name) {
  auto field = op->getParentOfType<ModuleOp>().lookupSymbol<ir::MetadataOp>(
      name.getValue());
  if (std::optional<uint32_t> number = ir::numberOf(field, ir::wordAttrName))
    return target::DescriptorMetadata + *number;
  return op->emitError() << "metadata field @" << name.getValue()
                         << " has no word: run baker-assign-memory";
}

struct MetaRead : ToLlvmPattern<ir::MetaReadOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::MetaReadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value packet = adaptor.getPacket();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    auto readWord = [&](uint32_t number) {
      return callPrimitive(rewriter, op, target::runtime::MetaRead, wordBits,
                           {packet, constantWord(rewriter, loc, number)});
    };
    Value value;
    if (op.getField() == ir::rxPortName) {
      value = callPrimitive(rewriter, op, target::runtime::RxPort, wordBits,
                            packet);
    } else if (op.getField() == ir::txPortName) {
      value = callPrimitive(rewriter, op, target::runtime::TxPort, wordBits,
                            packet);
    } else if (op.getField() == ir::sequenceName) {
      value = readWord(target::DescriptorSequence);
    } else {
      FailureOr<uint32_t> number = descriptorWord(op, op.getFieldAttr());
      if (failed(number))
        return failure();
      value = readWord(*number);
      if (width > wordBits)
        value = joinWords(rewriter, loc, value, readWord(*number + 1));
    }
    rewriter.replaceOp(op, resize(rewriter, loc, value, width));
    return success();
  }
};

struct MetaWrite : ToLlvmPattern<ir::MetaWriteOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::MetaWriteOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value packet = adaptor.getPacket();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    Value low = resize(rewriter, loc, adaptor.getValue(), wordBits);
    if (op.getField() == ir::txPortName) {
      callPrimitive(rewriter, op, target::runtime::SetTxPort, 0, {packet, low});
      rewriter.eraseOp(op);
      return success();
    }
    FailureOr<uint32_t> number = descriptorWord(op, op.getFieldAttr());
    if (failed(number))
      return failure();
    auto writeWord = [&](uint32_t at, Value value) {
      callPrimitive(rewriter, op, target::runtime::MetaWrite, 0,
                    {packet, constantWord(rewriter, loc, at), value});
    };
    if (width > wordBits) {
      Value wide = resize(rewriter, loc, adaptor.getValue(), 64);
      writeWord(*number, highWord(rewriter, loc, wide));
      writeWord(*number + 1, low);
    } else {
      writeWord(*number, low);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addPacketPatterns(RewritePatternSet &patterns,
                       const LLVMTypeConverter &converter,
                       ToLlvmContext &context) {
  patterns
      .add<PacketRead, PacketWrite, PacketHeadroom, PacketDrop, PacketTake,
           PacketKeep, PacketHeld, PacketSend, PacketView, MetaRead, MetaWrite>(
          converter, context);
  patterns.add<WordPrimitive<ir::PacketDecapOp>>(converter, context,
                                                 target::runtime::PacketDecap);
  patterns.add<WordPrimitive<ir::PacketEncapOp>>(converter, context,
                                                 target::runtime::PacketEncap);
  patterns.add<WordPrimitive<ir::PacketCopyOp>>(converter, context,
                                                target::runtime::PacketCopy);
  patterns.add<WordPrimitive<ir::PacketCloneOp>>(converter, context,
                                                 target::runtime::PacketClone);
  patterns.add<WordPrimitive<ir::PacketLengthOp>>(
      converter, context, target::runtime::PacketLength);
  patterns.add<WordPrimitive<ir::PacketAddTailOp>>(
      converter, context, target::runtime::PacketAddTail);
  patterns.add<WordPrimitive<ir::PacketRemoveTailOp>>(
      converter, context, target::runtime::PacketRemoveTail);
  patterns.add<WordPrimitive<ir::PacketCreateOp>>(
      converter, context, target::runtime::PacketCreate);
  patterns.add<WordPrimitive<ir::PacketClearOp>>(converter, context,
                                                 target::runtime::PacketClear);
  patterns.add<WordPrimitive<ir::PacketBlankOp>>(converter, context,
                                                 target::runtime::PacketBlank);
}

} // namespace karakal::passes
