// Local variables.
//
// Each scalar of a local array or struct is an SSA value of its own. An index
// that is not constant selects among them:
//
//     x = a[i]     x = i == 0 ? a0 : i == 1 ? a1 : a2
//     a[i] = x     a0 = i == 0 ? x : a0; a1 = i == 1 ? x : a1; …
//
// This costs one or two instructions for each element, and no memory.

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/TypeLayout.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::Value;

namespace karakal::lang {

SsaBuilder::Variable FunctionLowering::scalarOf(const VarDecl *variable,
                                                unsigned scalar) {
  if (!variable->type->isAggregate())
    return variable;
  std::vector<char> &names = scalarNames[variable];
  if (names.empty())
    names.resize(scalarCountOf(variable->type));
  KARAKAL_ASSERT(scalar < names.size(),
                 "'" + variable->name + "' has fewer scalars");
  return &names[scalar];
}

Value FunctionLowering::readScalar(const VarDecl *variable, unsigned scalar,
                                   const Type *type) {
  return ssa.read(scalarOf(variable, scalar), currentBlock(),
                  parent.lowerType(type));
}

FunctionLowering::Lvalue FunctionLowering::localElement(const IndexExpr &expr,
                                                        Lvalue base) {
  uint64_t elementCount = expr.base->type->elementCount;
  auto stride = unsigned(scalarCountOf(expr.type));
  base.type = expr.type;
  if (expr.index->constant) {
    uint64_t index = std::min(*expr.index->constant, elementCount - 1);
    for (unsigned &scalar : base.scalars)
      scalar += unsigned(index) * stride;
    return base;
  }
  Value index = limitedIndex(*expr.index, elementCount);
  std::vector<unsigned> scalars;
  for (unsigned scalar : base.scalars)
    for (unsigned i = 0; i < elementCount; ++i)
      scalars.push_back(scalar + i * stride);
  if (base.selector) {
    mlir::Location at = location(expr.range);
    Value count = builder.create<arith::ConstantOp>(
        at, builder.getI32IntegerAttr(int32_t(elementCount)));
    Value scaled =
        builder.createOrFold<arith::MulIOp>(at, base.selector, count);
    index = builder.createOrFold<arith::AddIOp>(at, scaled, index);
  }
  base.scalars = std::move(scalars);
  base.selector = index;
  return base;
}

FunctionLowering::Lvalue FunctionLowering::localField(const FieldExpr &expr,
                                                      Lvalue base) {
  unsigned scalarsBefore = 0;
  for (unsigned i = 0; i < expr.fieldIndex; ++i)
    scalarsBefore += unsigned(scalarCountOf(partTypeOf(expr.base->type, i)));
  for (unsigned &scalar : base.scalars)
    scalar += scalarsBefore;
  base.type = expr.type;
  return base;
}

Value FunctionLowering::loadLocal(const Lvalue &from, SourceRange where) {
  KARAKAL_ASSERT(from.scalars.size() == 1 || from.selector,
                 "several scalars need a selector");
  mlir::Location at = location(where);
  Value result = readScalar(from.variable, from.scalars.back(), from.type);
  for (size_t i = from.scalars.size() - 1; i-- > 0;) {
    Value number = builder.create<arith::ConstantOp>(
        at, builder.getI32IntegerAttr(int32_t(i)));
    Value isThis = builder.createOrFold<arith::CmpIOp>(
        at, arith::CmpIPredicate::eq, from.selector, number);
    result = builder.createOrFold<arith::SelectOp>(
        at, isThis, readScalar(from.variable, from.scalars[i], from.type),
        result);
  }
  return result;
}

void FunctionLowering::storeLocal(const Lvalue &to, Value value,
                                  SourceRange where) {
  mlir::Location at = location(where);
  if (to.scalars.size() == 1)
    return setScalar(to.variable, to.scalars[0], value, where);
  for (size_t i = 0; i < to.scalars.size(); ++i) {
    Value number = builder.create<arith::ConstantOp>(
        at, builder.getI32IntegerAttr(int32_t(i)));
    Value isThis = builder.createOrFold<arith::CmpIOp>(
        at, arith::CmpIPredicate::eq, to.selector, number);
    Value old = readScalar(to.variable, to.scalars[i], to.type);
    setScalar(to.variable, to.scalars[i],
              builder.createOrFold<arith::SelectOp>(at, isThis, value, old),
              where);
  }
}

Value FunctionLowering::readVariable(const VarDecl *variable) {
  return ssa.read(variable, currentBlock(), parent.lowerType(variable->type));
}

} // namespace karakal::lang
