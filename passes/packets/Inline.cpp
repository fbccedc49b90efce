// One function out of a microengine's program.
//
// After baker-lower-channels a microengine's program is an entry that calls
// the PPFs that get messages, which call further PPFs and functions. What is
// known of a packet in one of them is worth most in the next: so all become one
// function.
//
//   func.call @encap(%ph)          ^before: ... cf.br ^entry
//   ...                       →    ^entry: body of @encap on %ph, each return
//                                          a cf.br ^after
//                                  ^after: ...
//
// Callees come first, so each body is copied when it is already whole. Baker
// has no recursion, so this ends.
//
// Section 5.2 of the paper (aggressive inlining). Requires: the output of
// baker-lower-channels for a microengine. Ensures: calls of functions with
// packets only where the size forbids more.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/SetVector.h"

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

/// Puts the body of `callee` where `call` stands.
void inlineBody(func::CallOp call, func::FuncOp callee) {
  Block *before = call->getBlock();
  Block *after = before->splitBlock(call);
  // Arguments are the operands themselves, so that a packet keeps its name.
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
  void removeUncalled();

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
    if (callee.isDeclaration())
      continue;
    flatten(callee);
    if (!isWanted(call, callee, size)) {
      ++keptCount;
      continue;
    }
    size += countOperations(callee);
    inlineBody(call, callee);
    ++inlinedCount;
  }
}

void Inline::removeUncalled() {
  ModuleOp module = getOperation();
  llvm::SetVector<Operation *> reached;
  reached.insert(module.lookupSymbol(target::runtime::EngineEntry));
  for (size_t i = 0; i < reached.size(); ++i)
    reached[i]->walk([&](func::CallOp call) {
      reached.insert(module.lookupSymbol(call.getCallee()));
    });
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function))
      function.erase();
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
  removeUncalled();
}

} // namespace

} // namespace karakal::passes
