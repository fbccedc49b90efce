#include "passes/to-llvm/ToLlvmRuntime.h"

#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

LLVM::LLVMFuncOp declareRuntime(ModuleOp module, StringRef name, Type result,
                                ArrayRef<Type> operands) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    KARAKAL_ASSERT(found.getFunctionType() ==
                       LLVM::LLVMFunctionType::get(result, operands),
                   "one signature for @" + name.str());
    return found;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(
      module.getLoc(), name, LLVM::LLVMFunctionType::get(result, operands));
}

Value callRuntime(OpBuilder &builder, Operation *op, StringRef name,
                  Type result, ValueRange operands) {
  Type type = result ? result : LLVM::LLVMVoidType::get(op->getContext());
  LLVM::LLVMFuncOp callee =
      declareRuntime(op->getParentOfType<ModuleOp>(), name, type,
                     llvm::to_vector(operands.getTypes()));
  auto call = builder.create<LLVM::CallOp>(op->getLoc(), callee, operands);
  return result ? call.getResult() : Value();
}

} // namespace karakal::passes
