// Local variables and services.
//
// Each scalar of a local array or struct is an SSA value of its own. An index
// that is not constant chooses among them:
//
//     x = a[i]     x = i == 0 ? a0 : i == 1 ? a1 : a2
//     a[i] = x     a0 = i == 0 ? x : a0; a1 = i == 1 ? x : a1; …
//
// which costs an instruction or two an element and no memory.

#include "baker-lang/lower/Lowering.h"

#include "baker-lang/sema/Sema.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::Value;

namespace karakal::lang {

Ssa::Variable FunctionLowering::partOf(const VarDecl *variable, unsigned part) {
  if (!variable->type->isAggregate())
    return variable;
  std::vector<char> &names = parts[variable];
  if (names.empty())
    names.resize(scalarCountOf(variable->type));
  return &names[part];
}

Value FunctionLowering::readPart(const VarDecl *variable, unsigned part,
                                 const Type *type) {
  return ssa.read(partOf(variable, part), here(), parent.type(type));
}

FunctionLowering::Place FunctionLowering::localElement(const IndexExpr &expr,
                                                       Place base) {
  uint64_t size = expr.base->type->size;
  auto stride = unsigned(scalarCountOf(expr.type));
  base.type = expr.type;
  if (expr.index->constant) {
    uint64_t index = std::min(*expr.index->constant, size - 1);
    for (unsigned &part : base.parts)
      part += unsigned(index) * stride;
    return base;
  }
  Value index = indexInside(*expr.index, size);
  std::vector<unsigned> parts;
  for (unsigned part : base.parts)
    for (unsigned i = 0; i < size; ++i)
      parts.push_back(part + i * stride);
  if (base.part) {
    mlir::Location at = location(expr.range);
    Value count = builder.create<arith::ConstantOp>(
        at, builder.getI32IntegerAttr(int32_t(size)));
    Value scaled = builder.createOrFold<arith::MulIOp>(at, base.part, count);
    index = builder.createOrFold<arith::AddIOp>(at, scaled, index);
  }
  base.parts = std::move(parts);
  base.part = index;
  return base;
}

FunctionLowering::Place FunctionLowering::localField(const FieldExpr &expr,
                                                     Place base) {
  unsigned before = 0;
  for (unsigned i = 0; i < expr.fieldIndex; ++i)
    before += unsigned(scalarCountOf(expr.base->type->record->fields[i].type));
  for (unsigned &part : base.parts)
    part += before;
  base.type = expr.type;
  return base;
}

Value FunctionLowering::loadLocal(const Place &place, SourceRange where) {
  mlir::Location at = location(where);
  Value result = readPart(place.variable, place.parts.back(), place.type);
  for (size_t i = place.parts.size() - 1; i-- > 0;) {
    Value number = builder.create<arith::ConstantOp>(
        at, builder.getI32IntegerAttr(int32_t(i)));
    Value isThis = builder.createOrFold<arith::CmpIOp>(
        at, arith::CmpIPredicate::eq, place.part, number);
    result = builder.createOrFold<arith::SelectOp>(
        at, isThis, readPart(place.variable, place.parts[i], place.type),
        result);
  }
  return result;
}

void FunctionLowering::storeLocal(const Place &place, Value value,
                                  SourceRange where) {
  mlir::Location at = location(where);
  if (place.parts.size() == 1)
    return ssa.write(partOf(place.variable, place.parts[0]), here(), value);
  for (size_t i = 0; i < place.parts.size(); ++i) {
    Value number = builder.create<arith::ConstantOp>(
        at, builder.getI32IntegerAttr(int32_t(i)));
    Value isThis = builder.createOrFold<arith::CmpIOp>(
        at, arith::CmpIPredicate::eq, place.part, number);
    Value old = readPart(place.variable, place.parts[i], place.type);
    ssa.write(partOf(place.variable, place.parts[i]), here(),
              builder.createOrFold<arith::SelectOp>(at, isThis, value, old));
  }
}

//===----------------------------------------------------------------------===//
// Services of the chip
//===----------------------------------------------------------------------===//

Value FunctionLowering::lowerService(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  switch (expr.primitive) {
  case Primitive::AtomicAdd: {
    Value counter = place(*expr.arguments[0]).base;
    Type word;
    word.kind = TypeKind::Integer;
    word.width = 32;
    builder.create<ir::AtomicAddOp>(at, lowerAs(*expr.arguments[1], &word),
                                    counter);
    return {};
  }
  case Primitive::Timestamp:
    return builder.create<ir::TimestampOp>(at, builder.getI32Type());
  case Primitive::Random:
    return builder.create<ir::RandomOp>(at, builder.getI32Type());
  case Primitive::DropCount:
    return builder.create<ir::DropCountOp>(at, builder.getI32Type(),
                                           expr.reason->name);
  case Primitive::Trace: {
    if (!parent.hasTraces)
      return {};
    std::vector<Value> values;
    for (size_t i = 1; i < expr.arguments.size(); ++i)
      values.push_back(lower(*expr.arguments[i]));
    builder.create<ir::TraceOp>(
        at, llvm::cast<StringExpr>(*expr.arguments[0]).text, values);
    return {};
  }
  default:
    return builder.create<ir::HashOp>(at,
                                      lowerAs(*expr.arguments[0], expr.type));
  }
}

} // namespace karakal::lang
