// Replacing a call by the body of its callee.

#include "ir/analysis/Inlining.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::ir {

unsigned countOperations(func::FuncOp function) {
  unsigned count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

void inlineBody(func::CallOp call, func::FuncOp callee) {
  KARAKAL_ASSERT(callee.getNumArguments() == call.getNumOperands(),
                 "a call has an operand for each argument");
  Block *before = call->getBlock();
  Block *after = before->splitBlock(call);
  // Operands replace the arguments, so that a packet remains the same value.
  IRMapping map;
  map.map(callee.getArguments(), call.getOperands());
  callee.getBody().cloneInto(before->getParent(), after->getIterator(), map);
  Block *entry = map.lookup(&callee.getBody().front());
  OpBuilder builder = OpBuilder::atBlockEnd(before);
  builder.create<cf::BranchOp>(call.getLoc(), entry);
  for (Value result : call.getResults())
    result.replaceAllUsesWith(
        after->addArgument(result.getType(), result.getLoc()));
  for (Block &block : callee.getBody()) {
    auto end = dyn_cast<func::ReturnOp>(map.lookup(&block)->getTerminator());
    if (!end)
      continue;
    builder.setInsertionPoint(end);
    builder.create<cf::BranchOp>(end.getLoc(), after, end.getOperands());
    end.erase();
  }
  call.erase();
}

} // namespace karakal::ir
