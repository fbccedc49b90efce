// Timers that the compiler adds to a program.

#include "ir/analysis/CoreTimers.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Runtime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::ir {

void addCoreTimer(ModuleOp module, llvm::StringRef name, llvm::StringRef calls,
                  uint64_t intervalUs) {
  KARAKAL_ASSERT(!module.lookupSymbol(name), "a timer is added once");
  KARAKAL_ASSERT(intervalUs != 0 && intervalUs <= intervalMax,
                 "an interval that a timer can have");
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  FunctionType type = builder.getFunctionType({}, {});
  if (!module.lookupSymbol(calls))
    builder.create<func::FuncOp>(loc, calls, type).setPrivate();
  auto timer = builder.create<func::FuncOp>(loc, name, type);
  setKind(timer, FunctionKind::Control);
  timer->setAttr(intervalAttrName,
                 builder.getI64IntegerAttr(int64_t(intervalUs)));
  builder.setInsertionPointToStart(timer.addEntryBlock());
  builder.create<func::CallOp>(loc, calls, TypeRange());
  builder.create<func::ReturnOp>(loc);
}

} // namespace karakal::ir
