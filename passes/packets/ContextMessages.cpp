#include "passes/packets/ContextMessages.h"

#include "ir/dialect/Baker.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::passes {

/// Calls `visit(successor, index)` for each block argument to which branches
/// pass `message`.
static void forEachReceiver(Value message,
                            llvm::function_ref<void(BlockArgument)> visit) {
  for (OpOperand &use : message.getUses())
    if (auto branch = dyn_cast<BranchOpInterface>(use.getOwner()))
      if (auto argument =
              branch.getSuccessorBlockArgument(use.getOperandNumber()))
        visit(*argument);
}

ContextMessages::ContextMessages(func::FuncOp function, size_t wordCount)
    : function(function) {
  SmallVector<Value> open;
  function.walk([&](ir::PacketSendOp send) {
    if (Value message = send.getMessage())
      open.push_back(message);
  });
  if (function.getSymName() == target::runtime::ContextEntry) {
    BlockArgument message = function.getArgument(0);
    receive(message, wordCount);
    open.push_back(message);
    OpBuilder builder(function);
    function.setFunctionType(
        builder.getFunctionType(function.front().getArgumentTypes(), {}));
  }
  while (!open.empty())
    forEachReceiver(open.pop_back_val(), [&](BlockArgument argument) {
      if (words.contains(argument))
        return;
      receive(argument, wordCount);
      open.push_back(argument);
    });
}

void ContextMessages::receive(BlockArgument message, size_t wordCount) {
  SmallVector<Value> &received = words[message];
  for (size_t i = 0; i < wordCount; ++i)
    received.push_back(
        message.getOwner()->addArgument(message.getType(), message.getLoc()));
}

ArrayRef<Value> ContextMessages::wordsOf(Value message) const {
  auto found = words.find(message);
  return found == words.end() ? ArrayRef<Value>() : found->second;
}

void ContextMessages::pass() {
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op);
        call && call.getCallee() == target::runtime::ContextEntry)
      call.getOperandsMutable().append(wordsOf(call.getOperand(0)));
    auto branch = dyn_cast<BranchOpInterface>(op);
    for (unsigned i = 0; branch && i < op->getNumSuccessors(); ++i) {
      SuccessorOperands operands = branch.getSuccessorOperands(i);
      SmallVector<Value> added;
      for (Value operand : operands.getForwardedOperands())
        llvm::append_range(added, wordsOf(operand));
      operands.append(added);
    }
  });
}

} // namespace karakal::passes
