// Lvalues: where expressions read and write.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/UpperBound.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::Value;

namespace karakal::lang {

FunctionLowering::Lvalue FunctionLowering::globalLvalue(const Decl *decl,
                                                        const Type *type,
                                                        SourceRange where) {
  const auto &global = llvm::cast<GlobalDecl>(*decl);
  Lvalue result;
  result.kind = Lvalue::Global;
  result.type = type;
  result.base = builder.create<ir::GlobalRefOp>(
      location(where),
      ir::RefType::get(builder.getContext(), parent.storedType(global.type)),
      global.symbol);
  return result;
}

FunctionLowering::Lvalue FunctionLowering::lvalue(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    return nameLvalue(*name);
  if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
    return fieldLvalue(*field);
  if (auto *element = llvm::dyn_cast<IndexExpr>(&expr))
    return elementLvalue(*element);
  const auto &unary = llvm::cast<UnaryExpr>(expr);
  KARAKAL_ASSERT(unary.op == UnaryOp::Dereference, "not an lvalue");
  Lvalue result;
  result.kind = Lvalue::Global;
  result.type = expr.type;
  result.base = pointee(*unary.operand);
  return result;
}

FunctionLowering::Lvalue FunctionLowering::nameLvalue(const NameExpr &expr) {
  if (expr.decl->kind == DeclKind::Global)
    return globalLvalue(expr.decl, expr.type, expr.range);
  Lvalue result;
  result.type = expr.type;
  if (auto *field = llvm::dyn_cast<ProtocolFieldDecl>(expr.decl)) {
    KARAKAL_ASSERT(demuxPacket, "a plain field name outside a demux");
    result.kind = Lvalue::PacketField;
    result.base = demuxPacket;
    result.field = field;
    return result;
  }
  result.variable = llvm::cast<VarDecl>(expr.decl);
  if (memoryLocals.count(result.variable))
    return memoryLocal(result.variable);
  return result;
}

FunctionLowering::Lvalue
FunctionLowering::elementLvalue(const IndexExpr &expr) {
  Lvalue base = lvalue(*expr.base);
  if (base.kind == Lvalue::Local)
    return localElement(expr, base);
  Value index = limitedIndex(*expr.index, expr.base->type->elementCount);
  Lvalue result = base;
  result.type = expr.type;
  if (base.kind == Lvalue::PacketField)
    result.index = index;
  else
    result.base = elementInMemory(base.base, expr.base->type->elementCount,
                                  index, expr.range);
  return result;
}

FunctionLowering::Lvalue FunctionLowering::fieldLvalue(const FieldExpr &expr) {
  Lvalue result;
  result.type = expr.type;
  switch (expr.access) {
  case Access::ModuleMember:
    return globalLvalue(expr.decl, expr.type, expr.range);
  case Access::PacketField:
    result.kind = Lvalue::PacketField;
    result.base = lower(*expr.base);
    result.field = expr.decl;
    return result;
  case Access::MetadataField: {
    // The packet is innermost: ph->metadata.hop, ph->metadata.rx.port.
    const auto *root = llvm::cast<FieldExpr>(expr.base.get());
    if (root->access == Access::MetadataPort)
      root = llvm::cast<FieldExpr>(root->base.get());
    result.kind = Lvalue::Metadata;
    result.base = lower(*root->base);
    result.field = expr.decl;
    return result;
  }
  case Access::StructField: {
    Lvalue base;
    if (expr.isArrow)
      base.base = pointee(*expr.base);
    else
      base = lvalue(*expr.base);
    if (!expr.isArrow && base.kind == Lvalue::Local)
      return localField(expr, base);
    result.kind = Lvalue::Global;
    result.base = builder.create<ir::FieldOp>(location(expr.range), base.base,
                                              expr.field.name);
    return result;
  }
  default:
    KARAKAL_UNREACHABLE("field that analysis should have refused");
  }
}

Value FunctionLowering::limitedIndex(const Expr &index, uint64_t elementCount) {
  KARAKAL_ASSERT(elementCount > 0, "an index into an empty array");
  const Type *type = index.type;
  Value value = lower(index);
  auto bound = upperBound(index);
  // A negative index is a large unsigned number, so it selects the last
  // element.
  Type wide = Type::unsignedInteger(std::max(type->bits(), 32u));
  value = convert(value, type, &wide, index.range);
  if (!bound || *bound >= elementCount)
    value = builder.createOrFold<arith::MinUIOp>(
        location(index.range), value,
        constant(elementCount - 1, &wide, index.range));
  return convert(value, &wide, wordType(), index.range);
}

Value FunctionLowering::load(const Lvalue &from, SourceRange where) {
  if (from.kind == Lvalue::Local)
    return loadLocal(from, where);
  if (from.type->isWide())
    return loadWide(from, where);
  mlir::Location at = location(where);
  switch (from.kind) {
  case Lvalue::PacketField: {
    // An array of one element is a plain field of the dialect.
    const auto &field = llvm::cast<ProtocolFieldDecl>(*from.field);
    return builder.create<ir::PacketReadOp>(
        at, parent.lowerType(field.type), from.base, field.name,
        field.count > 1 ? from.index : Value());
  }
  case Lvalue::Metadata: {
    const auto &field = llvm::cast<MetadataDecl>(*from.field);
    return builder.create<ir::MetaReadOp>(at, parent.lowerType(field.type),
                                          from.base, field.name);
  }
  case Lvalue::Global:
    return builder.create<ir::LoadOp>(at, from.base);
  case Lvalue::Local:
    break;
  }
  KARAKAL_UNREACHABLE("kind of lvalue");
}

void FunctionLowering::store(const Lvalue &to, Value value, SourceRange where) {
  if (to.kind == Lvalue::Local)
    return storeLocal(to, value, where);
  if (to.type->isWide())
    return storeWide(to, value, where);
  mlir::Location at = location(where);
  switch (to.kind) {
  case Lvalue::PacketField: {
    const auto &field = llvm::cast<ProtocolFieldDecl>(*to.field);
    builder.create<ir::PacketWriteOp>(at, value, to.base, field.name,
                                      field.count > 1 ? to.index : Value());
    return;
  }
  case Lvalue::Metadata:
    builder.create<ir::MetaWriteOp>(at, value, to.base, to.field->name);
    return;
  case Lvalue::Global:
    builder.create<ir::StoreOp>(at, value, to.base);
    return;
  case Lvalue::Local:
    break;
  }
  KARAKAL_UNREACHABLE("kind of lvalue");
}

} // namespace karakal::lang
