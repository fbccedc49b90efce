// Parameters, pointers and calls.
//
// A pointer never changes. In the function that takes an address, it is that
// reference. A function with pointer parameters is copied for each access path
// that it is called with, and takes the indices of the path as arguments:
//
//     void count(flow * f) { f->packets++; }     func @count.1(%i : i32) {
//     count(&flows[i]);                            %f = element @flows, %i
//     count(&flows[j + 1]);                        …
//
// So every access names its global variable, which the passes that place and
// cache variables need, and the program computes no addresses.

#include "baker-lang/lower/FunctionLowering.h"

#include "ir/dialect/Tables.h"
#include "support/Error.h"

using mlir::Block;
using mlir::Value;

namespace karakal::lang {

/// Gives the parameters their values. Pointers are rebuilt from their access
/// paths, whose indices follow the other arguments.
void FunctionLowering::bindParameters(Block *entry) {
  unsigned next = 0;
  for (const Parameter &parameter : decl.parameters) {
    const Type *type = parameter.decl->type;
    if (type->isPointer())
      continue;
    Value value = entry->getArgument(next++);
    if (isPassedInParts(decl, type))
      value = joinWide({value, entry->getArgument(next++)}, type,
                       parameter.decl->range);
    setScalar(parameter.decl, 0, value, parameter.decl->range);
  }
  size_t pointerCount = 0;
  for (const Parameter &parameter : decl.parameters) {
    if (!parameter.decl->type->isPointer())
      continue;
    mlir::Location at = location(parameter.decl->range);
    const AccessPath &path = paths[pointerCount++];
    Value reference =
        path.isTable
            ? Value(builder.create<ir::TableEntryOp>(
                  at, path.type, path.global, entry->getArgument(next++)))
            : Value(
                  builder.create<ir::GlobalRefOp>(at, path.type, path.global));
    for (const std::string &field : llvm::drop_begin(path.steps, path.isTable))
      if (field.empty())
        reference = builder.create<ir::ElementOp>(at, reference,
                                                  entry->getArgument(next++));
      else
        reference = builder.create<ir::FieldOp>(at, reference, field);
    pointers[parameter.decl] = reference;
  }
  KARAKAL_ASSERT(pointerCount == paths.size() &&
                     next == entry->getNumArguments(),
                 "'" + decl.name + "' has other parameters than its symbol");
  if (decl.input && decl.input == parent.onlyReceiver())
    setReceiveMetadataOnce(entry->getArgument(0), decl.range);
}

Value FunctionLowering::pointee(const Expr &pointer) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&pointer))
    return lvalue(*unary->operand).base; // '&lvalue'
  if (auto *call = llvm::dyn_cast<CallExpr>(&pointer))
    return lowerFind(*call);
  return pointers.at(llvm::cast<VarDecl>(llvm::cast<NameExpr>(pointer).decl));
}

AccessPath FunctionLowering::accessPathOf(Value reference,
                                          std::vector<Value> &indices) {
  AccessPath path;
  std::vector<Value> found;
  mlir::Operation *op = reference.getDefiningOp();
  for (; !llvm::isa<ir::GlobalRefOp, ir::TableEntryOp>(op);
       op = op->getOperand(0).getDefiningOp())
    if (auto field = llvm::dyn_cast<ir::FieldOp>(op)) {
      path.steps.push_back(field.getField().str());
    } else {
      path.steps.push_back("");
      found.push_back(llvm::cast<ir::ElementOp>(op).getIndex());
    }
  if (auto entry = llvm::dyn_cast<ir::TableEntryOp>(op)) {
    path.isTable = true;
    path.global = entry.getTable().str();
    path.steps.push_back("");
    found.push_back(entry.getEntry());
  } else {
    path.global = llvm::cast<ir::GlobalRefOp>(op).getGlobal().str();
  }
  path.type = op->getResult(0).getType();
  std::reverse(path.steps.begin(), path.steps.end());
  indices.insert(indices.end(), found.rbegin(), found.rend());
  return path;
}

Value FunctionLowering::lowerCall(const CallExpr &expr) {
  if (expr.function && expr.function->table)
    return lowerTableCall(expr);
  if (expr.function)
    return lowerFunctionCall(expr);
  return isService(expr.primitive) ? lowerService(expr) : lowerPrimitive(expr);
}

Value FunctionLowering::lowerFunctionCall(const CallExpr &expr) {
  std::vector<Value> arguments, indices;
  std::vector<AccessPath> calleePaths;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Type *type = expr.function->parameters[i].decl->type;
    if (type->isPointer())
      calleePaths.push_back(accessPathOf(pointee(*expr.arguments[i]), indices));
    else
      arguments.push_back(lowerAs(*expr.arguments[i], type));
  }
  arguments.insert(arguments.end(), indices.begin(), indices.end());
  std::string symbol = parent.functionFor(*expr.function, calleePaths);
  mlir::TypeRange results;
  mlir::Type result;
  if (expr.function->result->isScalar()) {
    result = parent.lowerType(expr.function->result);
    results = result;
  }
  auto call = builder.create<mlir::func::CallOp>(location(expr.range), symbol,
                                                 results, arguments);
  return result ? call.getResult(0) : Value();
}

} // namespace karakal::lang
