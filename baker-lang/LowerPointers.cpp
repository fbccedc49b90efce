//===- LowerPointers.cpp - parameters, pointers, calls --------------------===//
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
//
//===----------------------------------------------------------------------===//

#include "baker-lang/Lowering.h"

#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace arith = mlir::arith;
namespace cf = mlir::cf;
using mlir::Block;
using mlir::Value;

namespace karakal::lang {

Value Lowering::globalRef(mlir::OpBuilder &at, mlir::Location where,
                          const std::string &symbol) {
  auto global = module->lookupSymbol<ir::GlobalOp>(symbol);
  return at.create<ir::GlobalRefOp>(
      where, ir::RefType::get(at.getContext(), global.getType()), symbol);
}

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
    Value place = parent.globalRef(builder, at, path.global);
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

//===----------------------------------------------------------------------===//
// What the receiver tells
//===----------------------------------------------------------------------===//

/// Sets the built-in metadata of a packet that has just come to be, those that
/// the program asks for.
void FunctionLowering::setReceived(Value packet, SourceRange where) {
  mlir::Location at = location(where);
  if (parent.isUsed(rxLengthName)) {
    Value length = builder.create<ir::PacketLengthOp>(at, packet);
    builder.create<ir::MetaWriteOp>(
        at,
        builder.create<arith::TruncIOp>(at, builder.getIntegerType(16), length),
        packet, rxLengthName);
  }
  if (parent.isUsed(rxTimeName))
    builder.create<ir::MetaWriteOp>(
        at, builder.create<ir::TimestampOp>(at, builder.getI32Type()), packet,
        rxTimeName);
}

/// The same at the input that `rx` is wired to. A packet that the program sent
/// there again has its length already.
void FunctionLowering::setReceivedUnlessSet(Value packet, SourceRange where) {
  if (!parent.isUsed(rxLengthName) && !parent.isUsed(rxTimeName))
    return;
  if (parent.receiver()->feederCount == 1)
    return setReceived(packet, where);
  mlir::Location at = location(where);
  Value length = builder.create<ir::MetaReadOp>(at, builder.getIntegerType(16),
                                                packet, rxLengthName);
  Value none = builder.create<arith::ConstantOp>(
      at, builder.getIntegerAttr(builder.getIntegerType(16), 0));
  Value isNew =
      builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::eq, length, none);
  Block *fresh = newBlock(), *after = newBlock();
  builder.create<cf::CondBranchOp>(at, isNew, fresh, after);
  start(fresh);
  setReceived(packet, where);
  jump(after, where);
  start(after);
}

} // namespace karakal::lang
