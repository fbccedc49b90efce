#include "passes/packets/CoreFunctions.h"

#include "ir/analysis/References.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

func::FuncOp runtimeFunction(ModuleOp module, StringRef name, unsigned operands,
                             unsigned results) {
  if (auto found = module.lookupSymbol<func::FuncOp>(name)) {
    KARAKAL_ASSERT(found.getNumArguments() == operands &&
                       found.getNumResults() == results,
                   "one signature for @" + name.str());
    return found;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type i32 = builder.getI32Type();
  auto type = builder.getFunctionType(SmallVector<Type>(operands, i32),
                                      SmallVector<Type>(results, i32));
  auto function = builder.create<func::FuncOp>(module.getLoc(), name, type);
  function.setPrivate();
  return function;
}

Value word(OpBuilder &builder, Location loc, uint32_t value) {
  return builder.create<arith::ConstantOp>(
      loc, builder.getI32IntegerAttr(int32_t(value)));
}

void eraseUnreached(ModuleOp module, ArrayRef<func::FuncOp> roots) {
  llvm::SetVector<func::FuncOp> reached = ir::reachableFrom(roots);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function))
      function.erase();
}

} // namespace karakal::passes
