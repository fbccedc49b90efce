// Says which values local variables have, for whoever looks at a program that
// runs (`bakerc -g`).
//
//     u32 x = 0;          baker.variable "x" "u32" 1 = %zero
//     if (c)
//       x = y + 1;        baker.variable "x" "u32" 1 = %sum
//     put(tx, ph);      ^join(%x): baker.variable "x" "u32" 1 = %x

#include "baker-lang/lower/FunctionLowering.h"

#include "baker-lang/tree/TypeLayout.h"

#include "ir/dialect/Services.h"

using mlir::Value;

namespace karakal::lang {

/// Appends the path to a scalar of `type` to `name` and returns its type.
static const Type *appendPath(std::string &name, const Type *type,
                              uint64_t scalar) {
  if (!type->isAggregate())
    return type;
  uint64_t part = 0;
  while (scalar >= scalarCountOf(partTypeOf(type, part)))
    scalar -= scalarCountOf(partTypeOf(type, part++));
  name += type->is(TypeKind::Array)
              ? "[" + std::to_string(part) + "]"
              : "." + type->structDecl->fields[part].name.name;
  return appendPath(name, partTypeOf(type, part), scalar);
}

void FunctionLowering::setScalar(const VarDecl *variable, unsigned scalar,
                                 Value value, SourceRange where) {
  SsaBuilder::Variable name = scalarOf(variable, scalar);
  ssa.write(name, currentBlock(), value);
  if (!parent.keepsVariables() || !value.getType().isSignlessInteger())
    return;
  keptScalars[name] = {variable, scalar};
  keepValue(builder, location(where), name, value);
}

void FunctionLowering::keepValue(mlir::OpBuilder &at, mlir::Location where,
                                 SsaBuilder::Variable scalar, Value value) {
  auto kept = keptScalars.find(scalar);
  if (kept == keptScalars.end())
    return;
  auto [variable, number] = kept->second;
  std::string name = variable->name;
  const Type *type = appendPath(name, variable->type, number);
  at.create<ir::VariableOp>(where, name, type->str(),
                            parent.lineOf(variable->range), value);
}

void FunctionLowering::finishVariables() {
  ssa.finish(op.getBody(),
             [&](SsaBuilder::Variable scalar, mlir::BlockArgument value) {
               auto start = mlir::OpBuilder::atBlockBegin(value.getOwner());
               keepValue(start, value.getLoc(), scalar, value);
             });
}

} // namespace karakal::lang
