// Places, packet primitives and calls.
//
// Where a packet can be too short, or its buffer have no room, the program
// looks first. `packet_decap` becomes, for a header of h bytes and an inner
// protocol whose smallest header has m bytes:
//
//     length = packet_length ph
//     if (length < h + m) { drop ph and all other held packets; return }
//     inner = packet_decap ph, h
//
// and `packet_encap` the same with packet_headroom. To shorten a packet and to
// extend it are decap and encap to its own protocol.

#include "baker-lang/lower/Lowering.h"
#include "baker-lang/sema/ValueRanges.h"

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

/// `u32`, for sizes and indices.
static const Type &wordType() {
  static const Type type = [] {
    Type word;
    word.kind = TypeKind::Integer;
    word.width = 32;
    return word;
  }();
  return type;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

FunctionLowering::Place FunctionLowering::globalPlace(const Decl *decl,
                                                      const Type *type,
                                                      SourceRange where) {
  const auto &global = llvm::cast<GlobalDecl>(*decl);
  Place result;
  result.kind = Place::Global;
  result.type = type;
  result.base = builder.create<ir::GlobalRefOp>(
      location(where),
      ir::RefType::get(builder.getContext(), parent.type(global.type)),
      global.symbol);
  return result;
}

FunctionLowering::Place FunctionLowering::place(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    Place result;
    result.type = expr.type;
    if (auto *field = llvm::dyn_cast<ProtocolFieldDecl>(name->decl)) {
      result.kind = Place::PacketField;
      result.base = demuxPacket;
      result.field = field;
      return result;
    }
    if (name->decl->kind == DeclKind::Global)
      return globalPlace(name->decl, expr.type, expr.range);
    result.variable = llvm::cast<VarDecl>(name->decl);
    return result;
  }
  if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
    return fieldPlace(*field);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    Place result;
    result.kind = Place::Global;
    result.type = expr.type;
    result.base = pointedBy(*unary->operand);
    return result;
  }
  const auto &element = llvm::cast<IndexExpr>(expr);
  Place base = place(*element.base);
  if (base.kind == Place::Local)
    return localElement(element, base);
  Value index = indexInside(*element.index, element.base->type->size);
  Place result = base;
  result.type = expr.type;
  if (base.kind == Place::PacketField)
    result.index = index;
  else
    result.base =
        builder.create<ir::ElementOp>(location(expr.range), base.base, index);
  return result;
}

FunctionLowering::Place FunctionLowering::fieldPlace(const FieldExpr &expr) {
  Place result;
  result.type = expr.type;
  switch (expr.access) {
  case Access::Qualified:
    return globalPlace(expr.decl, expr.type, expr.range);
  case Access::PacketField:
    result.kind = Place::PacketField;
    result.base = lower(*expr.base);
    result.field = expr.decl;
    return result;
  case Access::MetadataField: {
    // ph->metadata.hop, ph->metadata.rx.port: the packet stands innermost.
    const auto *root = llvm::cast<FieldExpr>(expr.base.get());
    if (root->access == Access::MetadataPort)
      root = llvm::cast<FieldExpr>(root->base.get());
    result.kind = Place::Metadata;
    result.base = lower(*root->base);
    result.field = expr.decl;
    return result;
  }
  case Access::StructField: {
    Place base;
    if (expr.isArrow)
      base.base = pointedBy(*expr.base);
    else if ((base = place(*expr.base)).kind == Place::Local)
      return localField(expr, base);
    result.kind = Place::Global;
    result.base = builder.create<ir::FieldOp>(location(expr.range), base.base,
                                              expr.field.name);
    return result;
  }
  default:
    KARAKAL_UNREACHABLE("field that analysis should have refused");
  }
}

Value FunctionLowering::indexInside(const Expr &index, uint64_t size) {
  const Type *type = index.type;
  Value value = lower(index);
  auto bound = upperBound(index);
  // A negative index is a large unsigned one and becomes the last element.
  Type wide;
  wide.kind = TypeKind::Integer;
  wide.width = std::max(type->bits(), 32u);
  value = convert(value, type, &wide, index.range);
  if (!bound || *bound >= size)
    value = builder.createOrFold<arith::MinUIOp>(
        location(index.range), value, constant(size - 1, &wide, index.range));
  return convert(value, &wide, &wordType(), index.range);
}

Value FunctionLowering::readVariable(const VarDecl *variable) {
  return ssa.read(variable, here(), parent.type(variable->type));
}

/// Fields over 64 bits are read and written as their two parts.
FunctionLowering::WideField FunctionLowering::wideField(const Place &place,
                                                        SourceRange where) {
  const std::string &name = place.field->name;
  if (!llvm::cast<ProtocolFieldDecl>(place.field)->isArray)
    return {name + wideHigh, name + wideLow, {}, {}};
  mlir::Location at = location(where);
  Value first = builder.createOrFold<arith::MulIOp>(
      at, place.index, constant(2, &wordType(), where));
  Value second = builder.createOrFold<arith::AddIOp>(
      at, first, constant(1, &wordType(), where));
  return {name, name, first, second};
}

Value FunctionLowering::loadWide(const Place &place, SourceRange where) {
  mlir::Location at = location(where);
  mlir::Type wide = parent.type(place.type);
  WideField field = wideField(place, where);
  Value high = builder.create<ir::PacketReadOp>(
      at, builder.getIntegerType(place.type->width - 64), place.base,
      field.high, field.highIndex);
  Value low = builder.create<ir::PacketReadOp>(
      at, builder.getI64Type(), place.base, field.low, field.lowIndex);
  Value amount = constant(64, place.type, where);
  Value placed = builder.create<arith::ShLIOp>(
      at, builder.create<arith::ExtUIOp>(at, wide, high), amount);
  return builder.create<arith::OrIOp>(
      at, placed, builder.create<arith::ExtUIOp>(at, wide, low));
}

void FunctionLowering::storeWide(const Place &place, Value value,
                                 SourceRange where) {
  mlir::Location at = location(where);
  WideField field = wideField(place, where);
  Value shifted = builder.createOrFold<arith::ShRUIOp>(
      at, value, constant(64, place.type, where));
  Value high = builder.createOrFold<arith::TruncIOp>(
      at, builder.getIntegerType(place.type->width - 64), shifted);
  Value low =
      builder.createOrFold<arith::TruncIOp>(at, builder.getI64Type(), value);
  builder.create<ir::PacketWriteOp>(at, high, place.base, field.high,
                                    field.highIndex);
  builder.create<ir::PacketWriteOp>(at, low, place.base, field.low,
                                    field.lowIndex);
}

Value FunctionLowering::load(const Place &place, SourceRange where) {
  mlir::Location at = location(where);
  switch (place.kind) {
  case Place::Local:
    return loadLocal(place, where);
  case Place::PacketField: {
    // An array of one element is a plain field of the dialect.
    const auto &field = llvm::cast<ProtocolFieldDecl>(*place.field);
    if (field.type->isWide())
      return loadWide(place, where);
    return builder.create<ir::PacketReadOp>(
        at, parent.type(field.type), place.base, field.name,
        field.count > 1 ? place.index : Value());
  }
  case Place::Metadata: {
    const auto &field = llvm::cast<MetadataDecl>(*place.field);
    return builder.create<ir::MetaReadOp>(at, parent.type(field.type),
                                          place.base, field.name);
  }
  case Place::Global:
    return builder.create<ir::LoadOp>(at, place.base);
  }
  KARAKAL_UNREACHABLE("kind of place");
}

void FunctionLowering::store(const Place &place, Value value,
                             SourceRange where) {
  mlir::Location at = location(where);
  switch (place.kind) {
  case Place::Local:
    return storeLocal(place, value, where);
  case Place::PacketField: {
    const auto &field = llvm::cast<ProtocolFieldDecl>(*place.field);
    if (field.type->isWide())
      return storeWide(place, value, where);
    builder.create<ir::PacketWriteOp>(at, value, place.base, field.name,
                                      field.count > 1 ? place.index : Value());
    return;
  }
  case Place::Metadata:
    builder.create<ir::MetaWriteOp>(at, value, place.base, place.field->name);
    return;
  case Place::Global:
    builder.create<ir::StoreOp>(at, value, place.base);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value FunctionLowering::lowerCall(const CallExpr &expr) {
  if (expr.primitive != Primitive::None && !expr.function)
    return lowerPrimitive(expr);
  return lowerFunctionCall(expr);
}

/// Each destination gets a packet of its own. A channel that nobody reads, if
/// that is no error, ends the packet.
void FunctionLowering::lowerPut(const EndpointDecl &output, Value packet,
                                mlir::Location at) {
  size_t count = output.destinations.size();
  if (count == 0)
    builder.create<ir::PacketDropOp>(at, packet, mlir::FlatSymbolRefAttr());
  for (size_t i = 1; i < count; ++i)
    builder.create<ir::ChannelPutOp>(
        at, output.channel(i), builder.create<ir::PacketCopyOp>(at, packet));
  if (count != 0)
    builder.create<ir::ChannelPutOp>(at, output.channel(0), packet);
}

Value FunctionLowering::lowerPrimitive(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  auto packet = [&](size_t i) { return lower(*expr.arguments[i]); };
  if (isService(expr.primitive))
    return lowerService(expr);
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
  case Primitive::Copy:
    return builder.create<ir::PacketCopyOp>(at, packet(0));
  case Primitive::Length:
    return builder.create<ir::PacketLengthOp>(at, packet(0));
  case Primitive::ChannelPut:
    lowerPut(*expr.endpoint, packet(1), at);
    return {};
  default: {
    mlir::FlatSymbolRefAttr reason;
    if (expr.reason)
      reason =
          mlir::FlatSymbolRefAttr::get(builder.getContext(), expr.reason->name);
    builder.create<ir::PacketDropOp>(at, packet(0), reason);
    return {};
  }
  }
}

/// Ends the invocation if `isBad`: drops `packet`, if there is one, and what
/// `expr` found held, read before the flow divides.
void FunctionLowering::dropIf(Value isBad, const CallExpr &expr, Value packet,
                              llvm::StringRef reasonName) {
  mlir::Location at = location(expr.range);
  std::vector<Value> dropped;
  if (packet)
    dropped.push_back(packet);
  for (const VarDecl *variable : expr.held)
    dropped.push_back(readVariable(variable));
  Block *bad = newBlock(), *good = newBlock();
  builder.create<cf::CondBranchOp>(at, isBad, bad, good);
  start(bad);
  leaveSection(expr.range);
  auto reason = mlir::FlatSymbolRefAttr::get(builder.getContext(), reasonName);
  for (Value each : dropped)
    builder.create<ir::PacketDropOp>(at, each, reason);
  builder.create<mlir::func::ReturnOp>(at);
  start(good);
}

void FunctionLowering::dropIfLess(Value left, Value right, const CallExpr &expr,
                                  Value packet) {
  dropIf(compare(BinaryOp::Less, left, right, &wordType(), expr.range), expr,
         packet, ir::noRoomReasonName);
}

/// Ends the invocation unless the packet has `bytes` and `rest` more.
void FunctionLowering::dropIfShort(const CallExpr &expr, Value packet,
                                   Value bytes, std::optional<uint64_t> bound,
                                   uint64_t restBytes) {
  mlir::Location at = location(expr.range);
  SourceRange where = expr.range;
  const Type *word = &wordType();
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

Value FunctionLowering::moveHeadBack(const CallExpr &expr, Value packet,
                                     Value bytes, const ProtocolDecl *outer) {
  mlir::Location at = location(expr.range);
  Value room = builder.create<ir::PacketHeadroomOp>(at, packet);
  dropIfLess(room, bytes, expr, packet);
  return builder.create<ir::PacketEncapOp>(at, parent.packetType(outer), packet,
                                           bytes);
}

Value FunctionLowering::lowerEncap(const CallExpr &expr) {
  Value packet = lower(*expr.arguments[0]);
  Value bytes =
      expr.arguments.size() == 2
          ? lowerAs(*expr.arguments[1], &wordType())
          : constant(expr.type->protocol->bytesMin, &wordType(), expr.range);
  return moveHeadBack(expr, packet, bytes, expr.type->protocol);
}

Value FunctionLowering::lowerDecap(const CallExpr &expr) {
  const ProtocolDecl &outer = *expr.arguments[0]->type->protocol;
  Value packet = lower(*expr.arguments[0]);
  demuxPacket = packet;
  Value bytes = lowerAs(*outer.demux, &wordType());
  demuxPacket = {};
  dropIfShort(expr, packet, bytes, upperBound(*outer.demux),
              expr.type->protocol->bytesMin);
  return builder.create<ir::PacketDecapOp>(
      location(expr.range), parent.packetType(expr.type->protocol), packet,
      bytes);
}

Value FunctionLowering::lowerCreate(const CallExpr &expr) {
  const Type *word = &wordType();
  const ProtocolDecl *protocol = expr.type->protocol;
  Value bytes = expr.arguments.empty()
                    ? constant(protocol->bytesMin, word, expr.range)
                    : lowerAs(*expr.arguments[0], word);
  bool isConstant = expr.arguments.empty() || expr.arguments[0]->constant;
  if (!isConstant)
    dropIfLess(
        constant(ir::bufferBytes - ir::bufferHeadroomBytes, word, expr.range),
        bytes, expr, {});
  Value packet = builder.create<ir::PacketCreateOp>(
      location(expr.range), parent.packetType(protocol), bytes);
  parent.setReceived(builder, packet, location(expr.range));
  return packet;
}

void FunctionLowering::lowerResize(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  const Type *word = &wordType();
  const auto *variable =
      llvm::cast<VarDecl>(llvm::cast<NameExpr>(*expr.arguments[0]).decl);
  const ProtocolDecl *protocol = variable->type->protocol;
  Value bytes = lowerAs(*expr.arguments[1], word);
  Value packet = readVariable(variable);
  Value resized;
  if (expr.primitive == Primitive::Extend) {
    resized = moveHeadBack(expr, packet, bytes, protocol);
  } else if (expr.primitive == Primitive::AddTail) {
    Value head = builder.create<ir::PacketHeadroomOp>(at, packet);
    Value length = builder.create<ir::PacketLengthOp>(at, packet);
    Value end = builder.createOrFold<arith::AddIOp>(at, head, length);
    Value room = builder.createOrFold<arith::SubIOp>(
        at, constant(ir::bufferBytes, word, expr.range), end);
    dropIfLess(room, bytes, expr, packet);
    resized = builder.create<ir::PacketAddTailOp>(at, packet, bytes);
  } else {
    dropIfShort(expr, packet, bytes, upperBound(*expr.arguments[1]),
                protocol->bytesMin);
    if (expr.primitive == Primitive::Shorten)
      resized = builder.create<ir::PacketDecapOp>(at, packet.getType(), packet,
                                                  bytes);
    else
      resized = builder.create<ir::PacketRemoveTailOp>(at, packet, bytes);
  }
  ssa.write(variable, here(), resized);
}

} // namespace karakal::lang
