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
// The call of a rare PPF (`baker.message`) ends the packet's path through the
// frequent code: if nothing follows before the next message, it becomes a
// message of the context to itself. @me_message takes it, in the order of the
// PPFs that the packet meets from there on, each of which exists there once,
// except for the small ones, whose accesses are combined with their callers'.
// This function stays a call, so its values take no registers from frequent
// code. A path that goes on after a call gets the body.
//
// Callees are processed first, so each body is complete when it is copied.
// Baker has no recursion, so this terminates.
//
// Section 5.2 of the paper (aggressive inlining). Requires: the output of
// baker-lower-channels for a microengine. Ensures: functions with packets are
// called only if inlining them exceeds the size limit.

#include "ir/analysis/Explain.h"
#include "ir/analysis/Inlining.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Passes.h"
#include "passes/packets/CoreFunctions.h"
#include "passes/packets/StopChecks.h"
#include "support/Assert.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/chip/RuntimeNames.h"
#include <set>

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_INLINE
#include "passes/Passes.h.inc"

namespace {

bool takesPackets(func::FuncOp function) {
  auto isPacket = [](Type type) { return isa<ir::PacketType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isPacket) ||
         llvm::any_of(function.getResultTypes(), isPacket);
}

/// Whether `call` may become a message of the context to itself.
bool isMessage(func::CallOp call) { return call->hasAttr(ir::messageAttrName); }

bool isRare(func::FuncOp function) {
  return function->hasAttr(ir::rareAttrName);
}

/// Whether nothing happens between `call` and the return, or the branch to
/// `loop`.
bool isLast(func::CallOp call, Block *loop) {
  llvm::SmallPtrSet<Block *, 8> seen;
  Operation *next = call->getNextNode();
  while (auto branch = dyn_cast<cf::BranchOp>(next)) {
    if (branch.getDest() == loop)
      return true;
    if (!seen.insert(branch.getDest()).second)
      return false;
    next = &branch.getDest()->front();
  }
  return isa<func::ReturnOp>(next);
}

/// Returns the calls that become messages: the last ones before the return, or
/// before the branch to `loop`.
SmallVector<func::CallOp> messagesOf(func::FuncOp function, Block *loop) {
  SmallVector<func::CallOp> messages;
  function.walk([&](func::CallOp call) {
    if (isMessage(call) && isLast(call, loop))
      messages.push_back(call);
  });
  return messages;
}

/// Adds the channels of the messages that are sent in the blocks that `block`
/// reaches without passing `end`.
void addSent(Block *block, Block *end, std::set<int32_t> &sent) {
  llvm::SmallPtrSet<Block *, 16> seen = {end};
  SmallVector<Block *> open = {block};
  while (!open.empty()) {
    Block *next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (auto send : next->getOps<ir::PacketSendOp>())
      if (send.getMessage())
        sent.insert(int32_t(send.getId()));
    llvm::append_range(open, next->getSuccessors());
  }
}

/// Leaves the cases of `dispatch` whose messages are sent: those of `sent`, and
/// those that their own code sends.
void keepSent(cf::SwitchOp dispatch, std::set<int32_t> sent) {
  auto all = llvm::to_vector(dispatch.getCaseValues()->getValues<int32_t>());
  for (size_t before = 0; before != sent.size();) {
    before = sent.size();
    for (auto [value, block] : llvm::zip(all, dispatch.getCaseDestinations()))
      if (sent.count(value))
        addSent(block, dispatch->getBlock(), sent);
  }
  ArrayRef<int64_t> allCounts = ir::branchCountsOf(dispatch);
  SmallVector<int32_t> values;
  SmallVector<int64_t> counts = {allCounts.front()};
  SmallVector<Block *> blocks;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!sent.count(all[i]))
      continue;
    values.push_back(all[i]);
    counts.push_back(allCounts[i + 1]);
    blocks.push_back(dispatch.getCaseDestinations()[i]);
  }
  OpBuilder builder(dispatch);
  SmallVector<ValueRange> noOperands(blocks.size());
  auto smaller = builder.create<cf::SwitchOp>(
      dispatch.getLoc(), dispatch.getFlag(), dispatch.getDefaultDestination(),
      ValueRange(), values, blocks, noOperands);
  ir::setBranchCounts(smaller, counts);
  dispatch.erase();
}

/// Replaces `call` and what follows it in its block by a message and a branch
/// to `taking`.
void sendMessage(func::CallOp call, Block *taking) {
  OpBuilder builder(call);
  Value packet = call.getOperand(0);
  auto send = builder.create<ir::PacketSendOp>(
      call.getLoc(), builder.getI32Type(), packet, target::RingContext,
      *ir::numberOf(call, ir::messageAttrName), Value(), Value(),
      ir::PuntAttr(), IntegerAttr());
  builder.create<cf::BranchOp>(call.getLoc(), taking, send.getMessage());
  call->getBlock()->getTerminator()->erase();
  call.erase();
}

class Inline : public impl::InlineBase<Inline> {
public:
  using InlineBase::InlineBase;

private:
  void runOnOperation() override;
  void flattenFrom(func::FuncOp function, bool (*isLeft)(func::FuncOp));
  void flatten(func::FuncOp function);
  bool isWanted(func::CallOp call, func::FuncOp callee, unsigned size);
  void countCalls();
  void sendFrom(func::FuncOp entry, func::FuncOp takes);
  void sendWithin(func::FuncOp takes);

  /// Whether calls of a PPF that may be messages are left.
  bool (*isLeft)(func::FuncOp) = nullptr;
  llvm::DenseSet<Operation *> isFlat;
  llvm::DenseMap<Operation *, unsigned> callCount;
};

bool Inline::isWanted(func::CallOp call, func::FuncOp callee, unsigned size) {
  if (callee.getSymName() == target::runtime::ContextEntry)
    return false;
  unsigned body = ir::countOperations(callee);
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
  unsigned size = ir::countOperations(function);
  for (func::CallOp call : calls) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    KARAKAL_ASSERT(callee && callee != function, "calls are not recursive");
    if (callee.isDeclaration())
      continue;
    flatten(callee);
    if ((isMessage(call) && isLeft(callee)) || !isWanted(call, callee, size))
      continue;
    size += ir::countOperations(callee);
    ir::inlineBody(call, callee);
  }
}

/// Inlines what `function` reaches, except for the calls of PPFs that may be
/// messages and that `left` names.
void Inline::flattenFrom(func::FuncOp function, bool (*left)(func::FuncOp)) {
  isFlat.clear();
  isLeft = left;
  flatten(function);
}

/// Counts the calls of each function. A call within rare code is no message if
/// it is the only one of its PPF, or if the PPF is small.
void Inline::countCalls() {
  callCount.clear();
  auto calleeOf = [&](func::CallOp call) {
    return getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
  };
  getOperation().walk([&](func::CallOp call) { ++callCount[calleeOf(call)]; });
  getOperation().walk([&](func::CallOp call) {
    func::FuncOp callee = calleeOf(call);
    // @me_message has a call, too.
    if (isMessage(call) && isRare(call->getParentOfType<func::FuncOp>()) &&
        (callCount[callee] == 2 || ir::countOperations(callee) <= maxCopied))
      call->removeAttr(ir::messageAttrName);
  });
}

/// Makes messages of the calls in `entry` that end a packet's path.
void Inline::sendFrom(func::FuncOp entry, func::FuncOp takes) {
  Block *loop = endOfMessage(entry);
  SmallVector<func::CallOp> messages = messagesOf(entry, loop);
  if (messages.empty())
    return;
  OpBuilder builder(entry.getContext());
  Location loc = takes.getLoc();
  Block *taking = builder.createBlock(&entry.getBody(), entry.getBody().end(),
                                      builder.getI32Type(), loc);
  for (func::CallOp call : messages)
    sendMessage(call, taking);
  builder.create<func::CallOp>(loc, takes, taking->getArgument(0));
  builder.create<cf::BranchOp>(loc, loop);
}

/// Makes messages of the calls in @me_message that end a PPF.
void Inline::sendWithin(func::FuncOp takes) {
  Block *loop = takes.front().getTerminator()->getSuccessor(0);
  for (func::CallOp call : messagesOf(takes, loop))
    sendMessage(call, loop);
}

void Inline::runOnOperation() {
  ModuleOp module = getOperation();
  auto entry = module.lookupSymbol<func::FuncOp>(target::runtime::EngineEntry);
  if (!entry) {
    module.emitError() << "baker-inline: there is no @"
                       << target::runtime::EngineEntry
                       << ": run baker-lower-channels for a microengine";
    return signalPassFailure();
  }
  countCalls();
  IRRewriter rewriter(&getContext());
  auto takes = module.lookupSymbol<func::FuncOp>(target::runtime::ContextEntry);
  if (takes) {
    flattenFrom(takes, [](func::FuncOp) { return true; });
    sendWithin(takes);
    flattenFrom(entry, isRare);
    sendFrom(entry, takes);
    std::set<int32_t> sent;
    addSent(&entry.front(), nullptr, sent);
    auto dispatch = dyn_cast<cf::SwitchOp>(
        takes.front().getTerminator()->getSuccessor(0)->getTerminator());
    if (dispatch)
      keepSent(dispatch, sent);
    (void)eraseUnreachableBlocks(rewriter, takes->getRegions());
  }
  // The calls that are no messages are inlined like any others.
  auto none = [](func::FuncOp) { return false; };
  flattenFrom(entry, none);
  if (takes)
    flattenFrom(takes, none);
  module.walk([](func::CallOp call) { call->removeAttr(ir::messageAttrName); });
  (void)eraseUnreachableBlocks(rewriter, entry->getRegions());
  eraseUnreached(module, entry);
}

} // namespace

} // namespace karakal::passes
