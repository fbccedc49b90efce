// Packet primitives.
//
// Where a packet can be too short, or its buffer can lack space, the program
// tests for it first. For a header of h bytes and an inner protocol whose
// smallest header has m bytes, `packet_decap` becomes:
//
//     length = packet_length ph
//     if (length < h + m) { drop ph and all other held packets; return }
//     inner = packet_decap ph, h
//
// `packet_encap` tests packet_headroom in the same way. To shorten a packet and
// to extend it are decap and encap to its own protocol.
//
// `packet_insert` and `packet_remove` move the bytes before the place. They are
// fields of a protocol without a name in the program, so that all passes treat
// them as other fields:
//
//     raw = packet_encap ph, 4 -> packet.bytes
//     w0 = read raw "4:32"; w1 = read raw "8:32"; w2 = read raw "12:32"
//     write w0, raw "0:32"; write w1, raw "4:32"; write w2, raw "8:32"
//     ph = packet_decap raw, 0
//
// `packet_copy_header` reads and writes such fields, too.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/ControlFunctions.h"
#include "baker-lang/tree/UpperBound.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace arith = mlir::arith;
namespace cf = mlir::cf;
using mlir::Block;
using mlir::Value;

namespace karakal::lang {

/// Each destination receives its own copy. Control functions have channels of
/// their own. An output without destinations drops
/// the packet.
void FunctionLowering::lowerPut(const EndpointDecl &output, Value packet,
                                mlir::Location at) {
  size_t count = output.destinations.size();
  auto channel = [&](size_t i) {
    return decl.role == Role::Control ? controlChannelSymbol(output, i)
                                      : output.channelSymbol(i);
  };
  if (count == 0)
    builder.create<ir::PacketDropOp>(at, packet, mlir::FlatSymbolRefAttr());
  for (size_t i = 1; i < count; ++i)
    builder.create<ir::ChannelPutOp>(
        at, channel(i), builder.create<ir::PacketCopyOp>(at, packet));
  if (count != 0)
    builder.create<ir::ChannelPutOp>(at, channel(0), packet);
}

Value FunctionLowering::lowerPrimitive(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  auto packet = [&](size_t i) { return lower(*expr.arguments[i]); };
  if (isService(expr.primitive))
    return lowerService(expr);
  if (isOfQueue(expr.primitive))
    return lowerQueueCall(expr);
  switch (expr.primitive) {
  case Primitive::Decap:
    return lowerDecap(expr);
  case Primitive::Encap:
    return lowerEncap(expr);
  case Primitive::Create:
    return lowerCreate(expr);
  case Primitive::Extend:
  case Primitive::Shorten:
  case Primitive::AddTail:
  case Primitive::RemoveTail:
    lowerResize(expr);
    return {};
  case Primitive::Insert:
  case Primitive::Remove:
    lowerMove(expr);
    return {};
  case Primitive::CopyHeader:
    lowerCopyHeader(expr);
    return {};
  case Primitive::Copy:
    return builder.create<ir::PacketCopyOp>(at, packet(0));
  case Primitive::Length:
    return builder.create<ir::PacketLengthOp>(at, packet(0));
  case Primitive::ChannelPut:
    lowerPut(*expr.endpoint, packet(1), at);
    return {};
  case Primitive::Drop:
    lowerDrop(expr);
    return {};
  default:
    KARAKAL_UNREACHABLE("packet primitive");
  }
}

void FunctionLowering::lowerDrop(const CallExpr &expr) {
  mlir::FlatSymbolRefAttr reason;
  if (expr.reason)
    reason =
        mlir::FlatSymbolRefAttr::get(builder.getContext(), expr.reason->name);
  builder.create<ir::PacketDropOp>(location(expr.range),
                                   lower(*expr.arguments[0]), reason);
}

void FunctionLowering::dropIf(Value isBad, const CallExpr &expr, Value packet,
                              llvm::StringRef reasonName) {
  mlir::Location at = location(expr.range);
  // Read the handles before the branch.
  std::vector<Value> dropped;
  if (packet)
    dropped.push_back(packet);
  for (const VarDecl *variable : expr.heldHandles)
    dropped.push_back(readVariable(variable));
  Block *bad = newBlock(), *good = newBlock();
  builder.create<cf::CondBranchOp>(at, isBad, bad, good);
  start(bad);
  leaveSection(expr.range);
  auto reason = mlir::FlatSymbolRefAttr::get(builder.getContext(), reasonName);
  for (Value each : dropped)
    builder.create<ir::PacketDropOp>(at, each, reason);
  Value result;
  if (decl.result->isScalar()) { // of a control function
    bool isStatus = decl.result->isSigned && decl.result->width == 32;
    result = builder.create<arith::ConstantOp>(
        at, builder.getIntegerAttr(
                parent.lowerType(decl.result),
                isStatus
                    ? parent.refusalNumber("a packet was dropped with reason " +
                                           reasonName.str())
                    : 0));
  }
  builder.create<mlir::func::ReturnOp>(at, result ? mlir::ValueRange(result)
                                                  : mlir::ValueRange());
  start(good);
}

void FunctionLowering::dropIfNoSpace(Value available, Value needed,
                                     const CallExpr &expr, Value packet) {
  dropIf(compare(BinaryOp::Less, available, needed, wordType(), expr.range),
         expr, packet, ir::noSpaceReasonName);
}

void FunctionLowering::dropIfShort(const CallExpr &expr, Value packet,
                                   Value bytes, std::optional<uint64_t> bound,
                                   uint64_t restBytes) {
  mlir::Location at = location(expr.range);
  SourceRange where = expr.range;
  const Type *word = wordType();
  Value length = builder.create<ir::PacketLengthOp>(at, packet);
  Value isShort;
  if (bound && *bound <= UINT32_MAX - restBytes) {
    Value needed = builder.createOrFold<arith::AddIOp>(
        at, bytes, constant(restBytes, word, where));
    isShort = compare(BinaryOp::Less, length, needed, word, where);
  } else {
    // The sum could wrap: compare in two steps.
    Value rest = builder.createOrFold<arith::SubIOp>(at, length, bytes);
    isShort = builder.createOrFold<arith::OrIOp>(
        at, compare(BinaryOp::Less, length, bytes, word, where),
        compare(BinaryOp::Less, rest, constant(restBytes, word, where), word,
                where));
  }
  dropIf(isShort, expr, packet, ir::truncatedReasonName);
}

Value FunctionLowering::prependHeader(const CallExpr &expr, Value packet,
                                      Value bytes, const ProtocolDecl *outer) {
  mlir::Location at = location(expr.range);
  Value headroom = builder.create<ir::PacketHeadroomOp>(at, packet);
  dropIfNoSpace(headroom, bytes, expr, packet);
  return builder.create<ir::PacketEncapOp>(at, parent.packetType(outer), packet,
                                           bytes);
}

Value FunctionLowering::lowerEncap(const CallExpr &expr) {
  Value packet = lower(*expr.arguments[0]);
  Value bytes =
      expr.arguments.size() == 2
          ? lowerAs(*expr.arguments[1], wordType())
          : constant(expr.type->protocol->bytesMin, wordType(), expr.range);
  return prependHeader(expr, packet, bytes, expr.type->protocol);
}

Value FunctionLowering::lowerDecap(const CallExpr &expr) {
  const ProtocolDecl &outer = *expr.arguments[0]->type->protocol;
  Value packet = lower(*expr.arguments[0]);
  demuxPacket = packet;
  Value bytes = lowerAs(*outer.demux, wordType());
  demuxPacket = {};
  dropIfShort(expr, packet, bytes, upperBound(*outer.demux),
              expr.type->protocol->bytesMin);
  return builder.create<ir::PacketDecapOp>(
      location(expr.range), parent.packetType(expr.type->protocol), packet,
      bytes);
}

Value FunctionLowering::lowerCreate(const CallExpr &expr) {
  const Type *word = wordType();
  const ProtocolDecl *protocol = expr.type->protocol;
  Value bytes = expr.arguments.empty()
                    ? constant(protocol->bytesMin, word, expr.range)
                    : lowerAs(*expr.arguments[0], word);
  bool isConstant = expr.arguments.empty() || expr.arguments[0]->constant;
  if (!isConstant)
    dropIfNoSpace(
        constant(ir::bufferBytes - ir::bufferHeadroomBytes, word, expr.range),
        bytes, expr, {});
  Value packet = builder.create<ir::PacketCreateOp>(
      location(expr.range), parent.packetType(protocol), bytes);
  parent.setReceiveMetadata(builder, packet, location(expr.range));
  return packet;
}

Value FunctionLowering::addTail(const CallExpr &expr, Value packet,
                                Value bytes) {
  mlir::Location at = location(expr.range);
  Value head = builder.create<ir::PacketHeadroomOp>(at, packet);
  Value length = builder.create<ir::PacketLengthOp>(at, packet);
  Value end = builder.createOrFold<arith::AddIOp>(at, head, length);
  Value tailroom = builder.createOrFold<arith::SubIOp>(
      at, constant(ir::bufferBytes, wordType(), expr.range), end);
  dropIfNoSpace(tailroom, bytes, expr, packet);
  return builder.create<ir::PacketAddTailOp>(at, packet, bytes);
}

void FunctionLowering::lowerResize(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  const Type *word = wordType();
  const auto *variable =
      llvm::cast<VarDecl>(llvm::cast<NameExpr>(*expr.arguments[0]).decl);
  const ProtocolDecl *protocol = variable->type->protocol;
  Value bytes = lowerAs(*expr.arguments[1], word);
  Value packet = readVariable(variable);
  Value resized;
  if (expr.primitive == Primitive::Extend) {
    resized = prependHeader(expr, packet, bytes, protocol);
  } else if (expr.primitive == Primitive::AddTail) {
    resized = addTail(expr, packet, bytes);
  } else {
    dropIfShort(expr, packet, bytes, upperBound(*expr.arguments[1]),
                protocol->bytesMin);
    if (expr.primitive == Primitive::Shorten)
      resized = builder.create<ir::PacketDecapOp>(at, packet.getType(), packet,
                                                  bytes);
    else
      resized = builder.create<ir::PacketRemoveTailOp>(at, packet, bytes);
  }
  ssa.write(variable, currentBlock(), resized);
}

namespace {
/// Bytes of a packet as fields of at most a word.
class PacketBytes {
public:
  PacketBytes(mlir::OpBuilder &builder, mlir::Location at)
      : builder(builder), at(at) {}

  void read(Value packet, uint32_t from, uint32_t count) {
    constexpr uint32_t wordBytes = 4;
    for (uint32_t byte = 0; byte < count;) {
      uint32_t bytes = std::min(wordBytes, count - byte);
      if (bytes == 3)
        bytes = 2;
      parts.push_back({byte, bytes,
                       builder.create<ir::PacketReadOp>(
                           at, builder.getIntegerType(8 * bytes), packet,
                           field(from + byte, bytes), Value())});
      byte += bytes;
    }
  }
  void write(Value packet, uint32_t to) {
    for (const Part &part : parts)
      builder.create<ir::PacketWriteOp>(
          at, part.value, packet, field(to + part.byte, part.bytes), Value());
  }

private:
  struct Part {
    uint32_t byte, bytes;
    Value value;
  };
  static std::string field(uint32_t byte, uint32_t bytes) {
    return std::to_string(byte) + ":" + std::to_string(8 * bytes);
  }

  mlir::OpBuilder &builder;
  mlir::Location at;
  std::vector<Part> parts;
};
} // namespace

void FunctionLowering::moveBytes(Value packet, uint32_t from, uint32_t to,
                                 uint32_t count, SourceRange where) {
  PacketBytes moved(builder, location(where));
  moved.read(packet, from, count);
  moved.write(packet, to);
}

void FunctionLowering::lowerMove(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  const Type *word = wordType();
  const auto *variable =
      llvm::cast<VarDecl>(llvm::cast<NameExpr>(*expr.arguments[0]).decl);
  const ProtocolDecl *protocol = variable->type->protocol;
  auto offset = static_cast<uint32_t>(*expr.arguments[1]->constant);
  std::optional<uint64_t> constantCount = expr.arguments[2]->constant;
  auto count = static_cast<uint32_t>(constantCount.value_or(0));
  KARAKAL_ASSERT(offset <= movedBytesMax, "sema bounds the bytes that move");
  mlir::Type bytesType =
      ir::PacketType::get(builder.getContext(), bytesProtocolName);
  Value none = constant(0, word, expr.range);
  Value bytes = constantCount ? constant(count, word, expr.range)
                              : lowerAs(*expr.arguments[2], word);
  Value packet = readVariable(variable), moved;
  // If the count varies, the bytes that move are read before the head moves.
  PacketBytes front(builder, at);
  auto readFront = [&] {
    Value raw = builder.create<ir::PacketDecapOp>(at, bytesType, packet, none);
    front.read(raw, 0, offset);
    return raw;
  };
  if (expr.primitive == Primitive::Insert) {
    dropIfShort(expr, packet, none, 0, offset);
    Value headroom = builder.create<ir::PacketHeadroomOp>(at, packet);
    dropIfNoSpace(headroom, bytes, expr, packet);
    Value before = constantCount ? packet : readFront();
    Value raw = builder.create<ir::PacketEncapOp>(at, bytesType, before, bytes);
    if (constantCount)
      moveBytes(raw, count, 0, offset, expr.range);
    else
      front.write(raw, 0);
    moved = builder.create<ir::PacketDecapOp>(at, parent.packetType(protocol),
                                              raw, none);
  } else {
    dropIfShort(expr, packet, bytes, upperBound(*expr.arguments[2]),
                std::max(offset, protocol->bytesMin));
    if (constantCount) {
      Value raw =
          builder.create<ir::PacketDecapOp>(at, bytesType, packet, none);
      moveBytes(raw, 0, count, offset, expr.range);
      moved = builder.create<ir::PacketDecapOp>(at, parent.packetType(protocol),
                                                raw, bytes);
    } else {
      Value raw =
          builder.create<ir::PacketDecapOp>(at, bytesType, readFront(), bytes);
      front.write(raw, 0);
      moved = builder.create<ir::PacketDecapOp>(at, parent.packetType(protocol),
                                                raw, none);
    }
  }
  ssa.write(variable, currentBlock(), moved);
}

/// No test is needed: each packet holds the smallest header of its handle.
void FunctionLowering::lowerCopyHeader(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  mlir::Type bytesType =
      ir::PacketType::get(builder.getContext(), bytesProtocolName);
  Value none = constant(0, wordType(), expr.range);
  const VarDecl *variables[2];
  Value raw[2];
  for (size_t i = 0; i < 2; ++i) {
    variables[i] =
        llvm::cast<VarDecl>(llvm::cast<NameExpr>(*expr.arguments[i]).decl);
    raw[i] = builder.create<ir::PacketDecapOp>(
        at, bytesType, readVariable(variables[i]), none);
  }
  const ProtocolDecl *protocol = variables[0]->type->protocol;
  for (uint32_t byte = 0; byte < protocol->bytesMin; byte += movedBytesMax) {
    PacketBytes part(builder, at);
    part.read(raw[1], byte, std::min(movedBytesMax, protocol->bytesMin - byte));
    part.write(raw[0], byte);
  }
  for (size_t i = 0; i < 2; ++i)
    ssa.write(variables[i], currentBlock(),
              builder.create<ir::PacketDecapOp>(at, parent.packetType(protocol),
                                                raw[i], none));
}

} // namespace karakal::lang
