// Numbers of more than 64 bits, which are i65 to i128 in expressions and local
// variables, and two parts elsewhere, the high one first:
//
//     packet field `src : 128`    fields "src.high", "src.low"
//     element i of `at : 128[8]`  elements 2 * i and 2 * i + 1 of `at : 64[16]`
//     metadata `u128 from`        metadata "from.high", "from.low"
//     global data                 struct<"u128", "high" : i64, "low" : i64>
//     control argument `dst`      arguments "dst.high", "dst.low"

#include "baker-lang/lower/FunctionLowering.h"

#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::Value;

namespace karakal::lang {

FunctionLowering::WideParts
FunctionLowering::splitWide(Value value, const Type *type, SourceRange where) {
  KARAKAL_ASSERT(type->isWide(), "'" + type->str() + "' has one part");
  mlir::Location at = location(where);
  Value shifted = builder.createOrFold<arith::ShRUIOp>(
      at, value, constant(64, type, where));
  return {
      builder.createOrFold<arith::TruncIOp>(
          at, builder.getIntegerType(type->width - 64), shifted),
      builder.createOrFold<arith::TruncIOp>(at, builder.getI64Type(), value)};
}

Value FunctionLowering::joinWide(const WideParts &parts, const Type *type,
                                 SourceRange where) {
  KARAKAL_ASSERT(type->isWide(), "'" + type->str() + "' has one part");
  mlir::Location at = location(where);
  mlir::Type wide = parent.lowerType(type);
  Value placed = builder.create<arith::ShLIOp>(
      at, builder.create<arith::ExtUIOp>(at, wide, parts.high),
      constant(64, type, where));
  return builder.create<arith::OrIOp>(
      at, placed, builder.create<arith::ExtUIOp>(at, wide, parts.low));
}

FunctionLowering::WideField FunctionLowering::wideField(const Lvalue &field,
                                                        SourceRange where) {
  const std::string &name = field.field->name;
  auto *ofPacket = llvm::dyn_cast<ProtocolFieldDecl>(field.field);
  if (!ofPacket || !ofPacket->isArray)
    return {name + wideHighSuffix, name + wideLowSuffix, {}, {}};
  mlir::Location at = location(where);
  Value first = builder.createOrFold<arith::MulIOp>(
      at, field.index, constant(2, wordType(), where));
  Value second = builder.createOrFold<arith::AddIOp>(
      at, first, constant(1, wordType(), where));
  return {name, name, first, second};
}

FunctionLowering::WideParts FunctionLowering::partsInMemory(Value reference,
                                                            SourceRange where) {
  auto part = [&](const char *suffix) -> Value {
    return builder.create<ir::FieldOp>(location(where), reference,
                                       llvm::StringRef(suffix).drop_front());
  };
  Value high = part(wideHighSuffix);
  return {high, part(wideLowSuffix)};
}

Value FunctionLowering::loadWide(const Lvalue &from, SourceRange where) {
  mlir::Location at = location(where);
  mlir::Type highType = builder.getIntegerType(from.type->width - 64);
  mlir::Type lowType = builder.getI64Type();
  WideParts parts;
  if (from.kind == Lvalue::Global) {
    WideParts places = partsInMemory(from.base, where);
    parts.high = builder.create<ir::LoadOp>(at, places.high);
    parts.low = builder.create<ir::LoadOp>(at, places.low);
    return joinWide(parts, from.type, where);
  }
  WideField field = wideField(from, where);
  if (from.kind == Lvalue::Metadata) {
    parts.high =
        builder.create<ir::MetaReadOp>(at, highType, from.base, field.high);
    parts.low =
        builder.create<ir::MetaReadOp>(at, lowType, from.base, field.low);
  } else {
    parts.high = builder.create<ir::PacketReadOp>(at, highType, from.base,
                                                  field.high, field.highIndex);
    parts.low = builder.create<ir::PacketReadOp>(at, lowType, from.base,
                                                 field.low, field.lowIndex);
  }
  return joinWide(parts, from.type, where);
}

void FunctionLowering::storeWide(const Lvalue &to, Value value,
                                 SourceRange where) {
  mlir::Location at = location(where);
  if (to.kind == Lvalue::Global) {
    WideParts places = partsInMemory(to.base, where);
    WideParts parts = splitWide(value, to.type, where);
    builder.create<ir::StoreOp>(at, parts.high, places.high);
    builder.create<ir::StoreOp>(at, parts.low, places.low);
    return;
  }
  WideField field = wideField(to, where);
  WideParts parts = splitWide(value, to.type, where);
  if (to.kind == Lvalue::Metadata) {
    builder.create<ir::MetaWriteOp>(at, parts.high, to.base, field.high);
    builder.create<ir::MetaWriteOp>(at, parts.low, to.base, field.low);
    return;
  }
  builder.create<ir::PacketWriteOp>(at, parts.high, to.base, field.high,
                                    field.highIndex);
  builder.create<ir::PacketWriteOp>(at, parts.low, to.base, field.low,
                                    field.lowIndex);
}

} // namespace karakal::lang
