// Parameters, pointers, calls.
//
// A pointer keeps its place for as long as it lives. In the function that takes
// an address it is that reference; a function that is given pointers is copied
// for each way to a place, and gets the indices on the way as arguments:
//
//     void count(flow * f) { f->packets++; }     func @count.1(%i : i32) {
//     count(&flows[i]);                            %f = element @flows, %i
//     count(&flows[j + 1]);                        …
//
// So every access names its global variable, for the passes that place and
// cache them, and no address is ever computed with.

#include "baker-lang/lower/Lowering.h"

using mlir::Block;
using mlir::Value;

namespace karakal::lang {

/// Gives the parameters their values: pointers are made anew from their paths,
/// whose indices stand behind the other arguments.
void FunctionLowering::bindParameters(Block *entry) {
  unsigned next = 0;
  for (const Parameter &parameter : decl.parameters)
    if (!parameter.decl->type->isPointer())
      ssa.write(parameter.decl, entry, entry->getArgument(next++));
  size_t number = 0;
  for (const Parameter &parameter : decl.parameters) {
    if (!parameter.decl->type->isPointer())
      continue;
    mlir::Location at = location(parameter.decl->range);
    const PointedPath &path = paths[number++];
    Value place = builder.create<ir::GlobalRefOp>(at, path.type, path.global);
    for (const std::string &field : path.steps)
      if (field.empty())
        place = builder.create<ir::ElementOp>(at, place,
                                              entry->getArgument(next++));
      else
        place = builder.create<ir::FieldOp>(at, place, field);
    pointers[parameter.decl] = place;
  }
  if (decl.input && decl.input == parent.receiver())
    setReceivedUnlessSet(entry->getArgument(0), decl.range);
}

Value FunctionLowering::pointedBy(const Expr &pointer) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&pointer))
    return place(*unary->operand).base; // '&place'
  return pointers.at(llvm::cast<VarDecl>(llvm::cast<NameExpr>(pointer).decl));
}

PointedPath FunctionLowering::pathTo(Value place, std::vector<Value> &indices) {
  PointedPath path;
  std::vector<Value> found;
  mlir::Operation *op = place.getDefiningOp();
  for (; !llvm::isa<ir::GlobalRefOp>(op);
       op = op->getOperand(0).getDefiningOp())
    if (auto field = llvm::dyn_cast<ir::FieldOp>(op)) {
      path.steps.push_back(field.getField().str());
    } else {
      path.steps.push_back("");
      found.push_back(llvm::cast<ir::ElementOp>(op).getIndex());
    }
  path.global = llvm::cast<ir::GlobalRefOp>(op).getGlobal().str();
  path.type = op->getResult(0).getType();
  std::reverse(path.steps.begin(), path.steps.end());
  indices.insert(indices.end(), found.rbegin(), found.rend());
  return path;
}

Value FunctionLowering::lowerFunctionCall(const CallExpr &expr) {
  std::vector<Value> arguments, indices;
  std::vector<PointedPath> places;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Type *type = expr.function->parameters[i].decl->type;
    if (type->isPointer())
      places.push_back(pathTo(pointedBy(*expr.arguments[i]), indices));
    else
      arguments.push_back(lowerAs(*expr.arguments[i], type));
  }
  arguments.insert(arguments.end(), indices.begin(), indices.end());
  std::string symbol = parent.functionFor(*expr.function, places);
  mlir::TypeRange results;
  mlir::Type result;
  if (expr.function->result->isScalar()) {
    result = parent.type(expr.function->result);
    results = result;
  }
  auto call = builder.create<mlir::func::CallOp>(location(expr.range), symbol,
                                                 results, arguments);
  return result ? call.getResult(0) : Value();
}

} // namespace karakal::lang
