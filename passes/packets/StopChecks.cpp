// Engines that the XScale core can ask to stop.

#include "passes/packets/StopChecks.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "passes/packets/CoreFunctions.h"
#include "support/Assert.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::passes {

void emitStopCheck(OpBuilder &builder, Location loc, ModuleOp module) {
  func::FuncOp stopAsked =
      runtimeFunction(module, target::runtime::StopAsked, 0, 1);
  func::FuncOp countStopped =
      runtimeFunction(module, target::runtime::CountStopped, 0, 0);
  Value asked = builder.create<func::CallOp>(loc, stopAsked).getResult(0);
  Value isAsked = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                asked, word(builder, loc, 0));
  Region *body = builder.getInsertionBlock()->getParent();
  Block *stop = OpBuilder(builder).createBlock(body);
  Block *next = OpBuilder(builder).createBlock(body);
  builder.create<cf::CondBranchOp>(loc, isAsked, stop, next);
  builder.setInsertionPointToStart(stop);
  builder.create<func::CallOp>(loc, countStopped);
  builder.create<func::ReturnOp>(loc);
  builder.setInsertionPointToStart(next);
}

Block *emitStoppableLoop(OpBuilder &builder, Location loc, ModuleOp module,
                         uint32_t interval) {
  KARAKAL_ASSERT(interval > 1, "some message comes without a check");
  Type i32 = builder.getI32Type();
  Region *region = builder.getInsertionBlock()->getParent();
  Block *head = OpBuilder(builder).createBlock(region, region->end(), i32, loc);
  Block *check = OpBuilder(builder).createBlock(region);
  Block *body = OpBuilder(builder).createBlock(region, region->end(), i32, loc);
  Block *loop = OpBuilder(builder).createBlock(region);
  builder.create<cf::BranchOp>(loc, head, word(builder, loc, interval));

  builder.setInsertionPointToStart(head);
  Value left = builder.create<arith::SubIOp>(loc, head->getArgument(0),
                                             word(builder, loc, 1));
  Value isDue = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                              left, word(builder, loc, 0));
  auto branch = builder.create<cf::CondBranchOp>(loc, isDue, check,
                                                 ValueRange(), body, left);
  ir::setBranchCounts(branch, {1, int64_t(interval) - 1});

  builder.setInsertionPointToStart(check);
  emitStopCheck(builder, loc, module);
  builder.create<cf::BranchOp>(loc, body, word(builder, loc, interval));

  builder.setInsertionPointToStart(loop);
  builder.create<cf::BranchOp>(loc, head, body->getArgument(0));
  builder.setInsertionPointToStart(body);
  return loop;
}

Block *endOfMessage(func::FuncOp entry) {
  Block *top = entry.front().getTerminator()->getSuccessor(0);
  if (top->getNumArguments() == 0)
    return top;
  for (Block *from : top->getPredecessors())
    if (from != &entry.front())
      return from;
  KARAKAL_UNREACHABLE("the entry function has no loop");
}

} // namespace karakal::passes
