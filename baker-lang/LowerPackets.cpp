//===- LowerPackets.cpp - places, packet primitives and calls -------------===//
//
// `packet_decap` becomes, for a header of h bytes and an inner protocol whose
// smallest header has m bytes:
//
//     length = packet_length ph
//     if (length < h + m) { drop ph and all other held packets; return }
//     inner = packet_decap ph, h
//
//===----------------------------------------------------------------------===//

#include "baker-lang/Lowering.h"
#include "baker-lang/Ranges.h"

#include "ir/Attributes.h"
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
  const auto &element = llvm::cast<IndexExpr>(expr);
  Place base = place(*element.base);
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
    Place base = place(*expr.base);
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

Value FunctionLowering::load(const Place &place, SourceRange where) {
  mlir::Location at = location(where);
  switch (place.kind) {
  case Place::Local:
    return readVariable(place.variable);
  case Place::PacketField: {
    // An array of one element is a plain field of the dialect.
    const auto &field = llvm::cast<ProtocolFieldDecl>(*place.field);
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
    ssa.write(place.variable, here(), value);
    return;
  case Place::PacketField: {
    const auto &field = llvm::cast<ProtocolFieldDecl>(*place.field);
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
  std::vector<Value> arguments;
  for (size_t i = 0; i < expr.arguments.size(); ++i)
    arguments.push_back(
        lowerAs(*expr.arguments[i], expr.function->parameters[i].decl->type));
  mlir::TypeRange results;
  mlir::Type result;
  if (expr.function->result->isScalar()) {
    result = parent.type(expr.function->result);
    results = result;
  }
  auto call = builder.create<mlir::func::CallOp>(
      location(expr.range), expr.function->symbol, results, arguments);
  return result ? call.getResult(0) : Value();
}

Value FunctionLowering::lowerPrimitive(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  auto packet = [&](size_t i) { return lower(*expr.arguments[i]); };
  switch (expr.primitive) {
  case Primitive::Decap:
    return lowerDecap(expr);
  case Primitive::Encap:
    return lowerEncap(expr);
  case Primitive::Copy:
    return builder.create<ir::PacketCopyOp>(at, packet(0));
  case Primitive::Length:
    return builder.create<ir::PacketLengthOp>(at, packet(0));
  case Primitive::ChannelPut:
    builder.create<ir::ChannelPutOp>(at, expr.endpoint->symbol(), packet(1));
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

Value FunctionLowering::lowerEncap(const CallExpr &expr) {
  Value packet = lower(*expr.arguments[0]);
  Value bytes =
      expr.arguments.size() == 2
          ? lowerAs(*expr.arguments[1], &wordType())
          : constant(expr.type->protocol->bytesMin, &wordType(), expr.range);
  return builder.create<ir::PacketEncapOp>(
      location(expr.range), parent.packetType(expr.type->protocol), packet,
      bytes);
}

Value FunctionLowering::lowerDecap(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  SourceRange where = expr.range;
  const Type *word = &wordType();
  const ProtocolDecl &outer = *expr.arguments[0]->type->protocol;
  uint64_t innerMin = expr.type->protocol->bytesMin;
  // Handles held in parallel, read before the flow divides.
  std::vector<Value> held;
  for (const VarDecl *variable : expr.held)
    held.push_back(readVariable(variable));
  Value packet = lower(*expr.arguments[0]);
  mlir::Type innerType = parent.packetType(expr.type->protocol);

  demuxPacket = packet;
  Value bytes = lowerAs(*outer.demux, word);
  demuxPacket = {};
  Value length = builder.create<ir::PacketLengthOp>(at, packet);
  auto bound = upperBound(*outer.demux);
  Value isShort;
  if (bound && *bound <= UINT32_MAX - innerMin) {
    Value needed = builder.createOrFold<arith::AddIOp>(
        at, bytes, constant(innerMin, word, where));
    isShort = compare(BinaryOp::Less, length, needed, word, where);
  } else {
    // The sum could wrap: compare in two steps.
    Value rest = builder.createOrFold<arith::SubIOp>(at, length, bytes);
    isShort = builder.createOrFold<arith::OrIOp>(
        at, compare(BinaryOp::Less, length, bytes, word, where),
        compare(BinaryOp::Less, rest, constant(innerMin, word, where), word,
                where));
  }
  Block *truncated = newBlock(), *whole = newBlock();
  builder.create<cf::CondBranchOp>(at, isShort, truncated, whole);
  start(truncated);
  auto reason = mlir::FlatSymbolRefAttr::get(builder.getContext(),
                                             ir::truncatedReasonName);
  builder.create<ir::PacketDropOp>(at, packet, reason);
  for (Value other : held)
    builder.create<ir::PacketDropOp>(at, other, reason);
  builder.create<mlir::func::ReturnOp>(at);
  start(whole);
  return builder.create<ir::PacketDecapOp>(at, innerType, packet, bytes);
}

} // namespace karakal::lang
