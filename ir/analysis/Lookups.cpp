// Look-up functions, whose results can be cached.

#include "ir/analysis/Lookups.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Services.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace karakal::ir {

namespace {

bool isWord(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 32;
}

bool isPart(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return bool(globalOf(load.getRef()));
  return isa<GlobalRefOp, ElementOp, FieldOp, cf::BranchOp, cf::CondBranchOp,
             cf::SwitchOp, func::ReturnOp, LoopEntryOp, LoopIterationOp,
             VariableOp>(op) ||
         isa<arith::ArithDialect>(op->getDialect());
}

} // namespace

bool isLookup(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  if (function.isDeclaration() || kindOf(function) != FunctionKind::Function ||
      type.getNumInputs() != 1 || type.getNumResults() != 1 ||
      !isWord(type.getInput(0)) || !isWord(type.getResult(0)))
    return false;
  bool loads = false;
  WalkResult walked = function.getBody().walk([&](Operation *op) {
    loads |= isa<LoadOp>(op);
    return isPart(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return loads && !walked.wasInterrupted();
}

SmallVector<func::FuncOp> lookupsOf(ModuleOp module) {
  SmallVector<func::FuncOp> lookups;
  for (auto function : module.getOps<func::FuncOp>())
    if (isLookup(function))
      lookups.push_back(function);
  return lookups;
}

llvm::SetVector<GlobalOp> globalsOf(func::FuncOp lookup) {
  llvm::SetVector<GlobalOp> globals;
  lookup.walk([&](LoadOp load) { globals.insert(globalOf(load.getRef())); });
  return globals;
}

} // namespace karakal::ir
