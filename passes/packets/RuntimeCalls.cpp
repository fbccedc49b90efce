// Functions of the runtime.

#include "passes/packets/RuntimeCalls.h"

using namespace mlir;

namespace karakal::passes {

func::FuncOp runtimeFunction(ModuleOp module, StringRef name, unsigned operands,
                             unsigned results) {
  if (auto found = module.lookupSymbol<func::FuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type i32 = builder.getI32Type();
  auto type = builder.getFunctionType(SmallVector<Type>(operands, i32),
                                      SmallVector<Type>(results, i32));
  auto function = builder.create<func::FuncOp>(module.getLoc(), name, type);
  function.setPrivate();
  return function;
}

} // namespace karakal::passes
