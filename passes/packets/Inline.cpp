// Inlines a microengine's program into one function.
//
// After baker-lower-channels a microengine's program is an entry that calls the
// PPFs that get messages, which call further PPFs and functions. What one of
// them determines about a packet is most useful in the next one. So all become
// one function.
//
//   func.call @encap(%ph)          ^before: ... cf.br ^entry
//   ...                       →    ^entry: body of @encap on %ph, each return
//                                          a cf.br ^after
//                                  ^after: ...
//
// Callees are processed first, so each body is complete when it is copied.
// Baker has no recursion, so this terminates.
//
// Section 5.2 of the paper (aggressive inlining). Requires: the output of
// baker-lower-channels for a microengine. Ensures: functions with packets are
// called only if inlining them exceeds the size limit.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/packets/CoreFunctions.h"
#include "support/Assert.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_INLINE
#include "passes/Passes.h.inc"

namespace {

unsigned countOperations(func::FuncOp function) {
  unsigned count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

bool takesPackets(func::FuncOp function) {
  auto isPacket = [](Type type) { return isa<ir::PacketType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isPacket) ||
         llvm::any_of(function.getResultTypes(), isPacket);
}

/// Replaces `call` by the body of `callee`.
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

class Inline : public impl::InlineBase<Inline> {
public:
  using InlineBase::InlineBase;

private:
  void runOnOperation() override;
  void flatten(func::FuncOp function);
  bool isWanted(func::CallOp call, func::FuncOp callee, unsigned size);

  llvm::DenseSet<Operation *> isFlat;
  llvm::DenseMap<Operation *, unsigned> callCount;
};

bool Inline::isWanted(func::CallOp call, func::FuncOp callee, unsigned size) {
  unsigned body = countOperations(callee);
  if (size + body > maxSize) {
    ir::explain(call, "inline")
        << "@" << callee.getSymName() << " stays a call: " << size << " and "
        << body << " operations are more than " << maxSize.getValue();
    return false;
  }
  if (takesPackets(callee) || callCount[callee] == 1 || body <= maxOperations)
    return true;
  ir::explain(call, "inline")
      << "@" << callee.getSymName() << " stays a call: it touches no packet, "
      << "has " << body << " operations and " << callCount[callee] << " calls";
  return false;
}

void Inline::flatten(func::FuncOp function) {
  if (function.isDeclaration() || !isFlat.insert(function).second)
    return;
  ModuleOp module = getOperation();
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  unsigned size = countOperations(function);
  for (func::CallOp call : calls) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    KARAKAL_ASSERT(callee && callee != function, "calls are not recursive");
    if (callee.isDeclaration())
      continue;
    flatten(callee);
    if (!isWanted(call, callee, size)) {
      continue;
    }
    size += countOperations(callee);
    inlineBody(call, callee);
  }
}

void Inline::runOnOperation() {
  isFlat.clear();
  callCount.clear();
  auto entry =
      getOperation().lookupSymbol<func::FuncOp>(target::runtime::EngineEntry);
  if (!entry) {
    getOperation().emitError()
        << "baker-inline: there is no @" << target::runtime::EngineEntry
        << ": run baker-lower-channels for a microengine";
    return signalPassFailure();
  }
  getOperation().walk([&](func::CallOp call) {
    ++callCount[getOperation().lookupSymbol(call.getCallee())];
  });
  flatten(entry);
  eraseUnreached(getOperation(), entry);
}

} // namespace

} // namespace karakal::passes
