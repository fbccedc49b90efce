// Makes the program of one core from the PPF graph.
//
// A channel inside the core's program becomes a call, any other a message:
//
//   baker.channel_put @cls.arp_cc, %ph  →  call @arp.in_cc(%ph)
//                                       or baker.packet_send %ph ring 2 id 3
//
// `baker.packet_take` makes a packet of a message.
//
// If `context-messages` is set and PPFs are rare, each call of a PPF has
// `baker.message`, and the program has @me_message, a loop that takes a packet
// by its message and calls the PPF. With them baker-inline makes code of rare
// PPFs that exists once and shares no value with the frequent code: neither its
// registers nor its packet states become worse.
//
// The entry of a microengine is an endless loop over the rings, which each
// context runs. It polls the aggregate's own ring (channels on a cycle of the
// PPF graph) first, then the ring from the XScale core, then the ring of new
// packets, so that a full ring drains before more packets are taken in. A
// context that finds no message sleeps for a while, because the polls of idle
// contexts would load the scratch unit. The XScale core's entry takes one
// message of its ring: between two messages the core may have other work.
//
// Requires: `baker.id` on channels; except for the host, `baker.core` on PPFs
// and `baker.via` on channels. Ensures: no channel_put, no channel and no
// unreachable function.

#include "ir/analysis/KeptOrder.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Passes.h"
#include "passes/packets/CoreChannels.h"
#include "passes/packets/CoreFunctions.h"
#include "passes/packets/StopChecks.h"
#include "support/Assert.h"
#include "target-ixp/chip/Order.h"
#include "target-ixp/chip/Punts.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/chip/RuntimeNames.h"
#include <set>

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_LOWERCHANNELS
#include "passes/Passes.h.inc"

namespace {

/// The ring number under which the host queues messages.
constexpr uint32_t hostQueueRing = target::RingRx;

class LowerChannels : public impl::LowerChannelsBase<LowerChannels> {
public:
  using LowerChannelsBase::LowerChannelsBase;

private:
  void runOnOperation() override;

  LogicalResult checkDecisions();

  void lowerPut(ir::ChannelPutOp put);
  void mark(OpBuilder &builder, Location loc, uint32_t id);
  void emitMessage(OpBuilder &builder, Location loc, uint32_t ring,
                   ir::ChannelOp channel, Value packet);
  void emitHostMessage(OpBuilder &builder, Location loc, uint32_t ring,
                       uint32_t id, Value packet);

  void buildMicroengineEntry();
  void buildContextEntry();
  void buildXScaleEntry();
  SmallVector<Value> emitGet(OpBuilder &builder, Location loc, uint32_t ring);
  void emitPoll(OpBuilder &builder, Location loc, Value zero, uint32_t ring,
                function_ref<void(ValueRange)> emitHandling);
  void emitPollXScale(OpBuilder &builder, Location loc, Value zero,
                      Block *loop);
  void emitDispatch(OpBuilder &builder, Location loc, ValueRange message,
                    ArrayRef<Route> routes, Block *next);
  void emitDelivery(OpBuilder &builder, Location loc, ValueRange message,
                    const Route &route);
  void assumeFromRx(OpBuilder &builder, Location loc, ValueRange message);
  void emitRx(OpBuilder &builder, Location loc, ValueRange message);

  void removeUnreached();

  ValueRange call(OpBuilder &builder, Location loc, StringRef name,
                  ValueRange operands, unsigned results);

  bool isHost() const { return core == ir::Core::Host; }

  std::optional<CoreChannels> channels;
};

ValueRange LowerChannels::call(OpBuilder &builder, Location loc, StringRef name,
                               ValueRange operands, unsigned results) {
  return builder
      .create<func::CallOp>(
          loc, runtimeFunction(getOperation(), name, operands.size(), results),
          operands)
      .getResults();
}

//===----------------------------------------------------------------------===//
// Channel puts
//===----------------------------------------------------------------------===//

void LowerChannels::emitMessage(OpBuilder &builder, Location loc, uint32_t ring,
                                ir::ChannelOp channel, Value packet) {
  uint32_t id = channel.goesToTx() ? 0 : *ir::numberOf(channel, ir::idAttrName);
  auto send =
      builder.create<ir::PacketSendOp>(loc, Type(), packet, ring, id, Value(),
                                       Value(), ir::PuntAttr(), IntegerAttr());
  if (ir::PuntAttr punt = ir::puntOf(channel)) {
    // What the core sends to itself is not metered.
    uint32_t perWindow = core == ir::Core::XScale ? target::PuntPerWindowMax
                                                  : punt.getPerWindow();
    send.setPuntAttr(ir::PuntAttr::get(&getContext(), punt.getNumber(),
                                       punt.getWaiting(), perWindow));
  }
  send.setReason(ir::refusalReason(channel));
}

/// Emits a message of the host: one word, `id << 24 | handle`.
void LowerChannels::emitHostMessage(OpBuilder &builder, Location loc,
                                    uint32_t ring, uint32_t id, Value packet) {
  Value message =
      builder
          .create<UnrealizedConversionCastOp>(loc, builder.getI32Type(), packet)
          .getResult(0);
  if (id != 0)
    message = builder.create<arith::OrIOp>(
        loc, message, word(builder, loc, id << target::RingChannelShift));
  call(builder, loc, target::runtime::ChannelPut,
       {word(builder, loc, ring), message}, 0);
}

/// Marks the paths of an engine on which a packet passes the channel `id`.
void LowerChannels::mark(OpBuilder &builder, Location loc, uint32_t id) {
  if (core == ir::Core::Me)
    builder.create<ir::ChannelMarkOp>(loc, id);
}

void LowerChannels::lowerPut(ir::ChannelPutOp put) {
  OpBuilder builder(put);
  Location loc = put.getLoc();
  auto channel = getOperation().lookupSymbol<ir::ChannelOp>(put.getChannel());
  mark(builder, loc, *ir::numberOf(channel, ir::idAttrName));
  if (CoreChannels::isCall(channel)) {
    auto call = builder.create<func::CallOp>(loc, channels->consumerOf(channel),
                                             put.getPacket());
    if (contextMessages && core == ir::Core::Me)
      ir::setNumber(call, ir::messageAttrName,
                    *ir::numberOf(channel, ir::idAttrName));
  } else if (isHost()) {
    uint32_t ring = channel.goesToTx() ? target::RingTx : hostQueueRing;
    uint32_t id =
        channel.goesToTx() ? 0 : *ir::numberOf(channel, ir::idAttrName);
    emitHostMessage(builder, loc, ring, id, put.getPacket());
  } else {
    uint32_t ring = channel.goesToTx()
                        ? target::RingTx
                        : *ir::numberOf(channel, ir::ringAttrName);
    emitMessage(builder, loc, ring, channel, put.getPacket());
  }
  put.erase();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Emits code that gets a message. Its two words are 0 if the ring is empty.
/// Only the messages of Rx have a second word.
SmallVector<Value> LowerChannels::emitGet(OpBuilder &builder, Location loc,
                                          uint32_t ring) {
  if (target::isNeighbourRing(ring))
    return {call(builder, loc, target::runtime::NeighbourGet, {}, 1)[0],
            word(builder, loc, 0)};
  if (target::isSramRing(ring)) {
    Value queue = word(builder, loc,
                       target::queueWord(target::SramRingChannel,
                                         target::sramRingEntry(ring)));
    return {call(builder, loc, target::intrinsic::SramRingGet, queue, 1)[0],
            word(builder, loc, 0)};
  }
  if (ring != target::RingRx)
    return {call(builder, loc, target::intrinsic::RingGetWord,
                 {word(builder, loc, ring)}, 1)[0],
            word(builder, loc, 0)};
  return llvm::to_vector(call(builder, loc, target::intrinsic::RingGet,
                              {word(builder, loc, ring)},
                              target::RingMessageWords));
}

/// Emits a call of the consumer of a message. Only messages of Rx have id 0.
void LowerChannels::emitDelivery(OpBuilder &builder, Location loc,
                                 ValueRange message, const Route &route) {
  func::FuncOp consumer = route.consumer;
  if (route.id != 0 && !route.isShared)
    mark(builder, loc, route.id);
  if (route.punt)
    call(builder, loc, target::runtime::PuntTaken,
         {word(builder, loc, target::puntState(route.punt.getNumber()))}, 0);
  auto take = builder.create<ir::PacketTakeOp>(
      loc, consumer.getFunctionType().getInput(0), message[0], message[1],
      /*from_rx=*/route.id == 0);
  if (route.head)
    take->setAttr(ir::headAttrName, route.head);
  builder.create<func::CallOp>(loc, consumer, take.getPacket());
}

/// Emits a call of the consumer that the message's id selects, and a branch to
/// `next`.
void LowerChannels::emitDispatch(OpBuilder &builder, Location loc,
                                 ValueRange message, ArrayRef<Route> routes,
                                 Block *next) {
  KARAKAL_ASSERT(!routes.empty(), "messages have a consumer");
  if (routes.size() == 1) {
    emitDelivery(builder, loc, message, routes.front());
    builder.create<cf::BranchOp>(loc, next);
    return;
  }
  Value id = builder.create<arith::ShRUIOp>(
      loc, message[0], word(builder, loc, target::RingChannelShift));
  SmallVector<int32_t> values;
  SmallVector<int64_t> counts = {0}; // there are no other ids
  SmallVector<Block *> blocks;
  Region *region = next->getParent();
  for (const Route &route : routes) {
    values.push_back(int32_t(route.id));
    counts.push_back(route.messages);
    size_t same =
        llvm::find_if(routes,
                      [&](const Route &other) { return route.isLike(other); }) -
        routes.begin();
    if (same < blocks.size()) {
      blocks.push_back(blocks[same]);
      continue;
    }
    OpBuilder inner(builder.getContext());
    blocks.push_back(inner.createBlock(region));
    Route marked = route;
    if (llvm::count_if(routes, [&](const Route &other) {
          return route.isLike(other);
        }) > 1) // the block delivers several channels
      marked.isShared = true;
    emitDelivery(inner, loc, message, marked);
    inner.create<cf::BranchOp>(loc, next);
  }
  SmallVector<ValueRange> noOperands(blocks.size());
  auto dispatch = builder.create<cf::SwitchOp>(loc, id, next, ValueRange(),
                                               values, blocks, noOperands);
  ir::setBranchCounts(dispatch, counts);
}

/// Emits assumptions about the words of Rx messages, `port << 24 | handle` and
/// `head << 16 | length`, perhaps with a ticket, that runtime/rx.uc guarantees.
void LowerChannels::assumeFromRx(OpBuilder &builder, Location loc,
                                 ValueRange message) {
  auto assume = [&](arith::CmpIPredicate predicate, Value value,
                    uint32_t bound) {
    builder.create<LLVM::AssumeOp>(
        loc, builder.create<arith::CmpIOp>(loc, predicate, value,
                                           word(builder, loc, bound)));
  };
  bool hasTicket = ir::keepsOrder(getOperation());
  Value head =
      builder.create<arith::ShRUIOp>(loc, message[1], word(builder, loc, 16));
  if (hasTicket)
    head = builder.create<arith::AndIOp>(
        loc, head, word(builder, loc, target::PlaceHeadMask));
  Value length = builder.create<arith::AndIOp>(
      loc, message[1],
      word(builder, loc, hasTicket ? target::PlaceLengthMask : 0xffff));
  assume(arith::CmpIPredicate::ult, message[0],
         target::PortCount << target::RingPortShift);
  assume(arith::CmpIPredicate::eq, head, target::BufferHeadroom);
  assume(arith::CmpIPredicate::uge, length, target::FrameBytesMin);
}

/// Emits code that passes a packet from Rx to its PPF, which may be on the
/// XScale core.
void LowerChannels::emitRx(OpBuilder &builder, Location loc,
                           ValueRange message) {
  assumeFromRx(builder, loc, message);
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (!channel.comesFromRx())
      continue;
    mark(builder, loc, *ir::numberOf(channel, ir::idAttrName));
    if (!channel.goesToTx())
      if (func::FuncOp consumer = channels->consumerOf(channel);
          channels->isOurs(consumer))
        return emitDelivery(builder, loc, message, {0, consumer, {}, {}});
    Value packet = builder.create<ir::PacketTakeOp>(
        loc, ir::PacketType::get(&getContext(), channel.getProtocol()),
        message[0], message[1], true);
    if (channel.goesToTx())
      return emitMessage(builder, loc, target::RingTx, channel, packet);
    return emitMessage(builder, loc, target::RingToXScale, channel, packet);
  }
}

/// Emits code at the end of a block that polls `ring`. `emitHandling` emits the
/// code for a message, which ends its block. `builder` continues in a new
/// block, for no message. `zero` is the constant 0.
void LowerChannels::emitPoll(OpBuilder &builder, Location loc, Value zero,
                             uint32_t ring,
                             function_ref<void(ValueRange)> emitHandling) {
  SmallVector<Value> message = emitGet(builder, loc, ring);
  // A handle is never 0, and the program needs the extracted handle in any
  // case.
  Value handle = builder.create<arith::AndIOp>(
      loc, message[0], word(builder, loc, target::HandleMask));
  Value isMessage = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                  handle, zero);
  Region *body = builder.getInsertionBlock()->getParent();
  Block *handling = OpBuilder(builder).createBlock(body);
  Block *none = OpBuilder(builder).createBlock(body);
  auto branch =
      builder.create<cf::CondBranchOp>(loc, isMessage, handling, none);
  ir::setBranchCounts(branch, channels->messageCounts(ring));
  builder.setInsertionPointToStart(handling);
  emitHandling(message);
  builder.setInsertionPointToStart(none);
}

/// Polls the ring from the XScale core. Its ring-full flag is set while the
/// ring is empty, so the poll of an empty ring needs no memory command.
void LowerChannels::emitPollXScale(OpBuilder &builder, Location loc, Value zero,
                                   Block *loop) {
  SmallVector<Route> routes = channels->routesOn(target::RingFromXScale);
  if (routes.empty())
    return;
  Value isEmpty = call(builder, loc, target::intrinsic::RingStatus,
                       {word(builder, loc, target::RingFromXScale)}, 1)[0];
  Value isNot = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                              isEmpty, zero);
  Region *body = loop->getParent();
  Block *get = OpBuilder(builder).createBlock(body);
  Block *next = OpBuilder(builder).createBlock(body);
  auto branch = builder.create<cf::CondBranchOp>(loc, isNot, get, next);
  ir::setBranchCounts(branch, channels->messageCounts(target::RingFromXScale));
  builder.setInsertionPointToStart(get);
  emitPoll(builder, loc, zero, target::RingFromXScale, [&](ValueRange message) {
    emitDispatch(builder, loc, message, routes, loop);
  });
  builder.create<cf::BranchOp>(loc, next);
  builder.setInsertionPointToStart(next);
}

void LowerChannels::buildMicroengineEntry() {
  ModuleOp module = getOperation();
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = builder.create<func::FuncOp>(loc, target::runtime::EngineEntry,
                                            builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(entry.addEntryBlock());
  std::optional<uint32_t> stopInterval =
      ir::numberOf(module, stoppableAttrName);
  Block *loop;
  if (stopInterval.value_or(0) != 0) {
    loop = emitStoppableLoop(builder, loc, module, *stopInterval);
  } else {
    loop = OpBuilder(builder).createBlock(&entry.getBody());
    builder.create<cf::BranchOp>(loc, loop);
    builder.setInsertionPointToStart(loop);
  }
  Value zero = word(builder, loc, 0);
  for (uint32_t ring : channels->ringsHere()) {
    SmallVector<Route> routes = channels->routesOn(ring);
    emitPoll(builder, loc, zero, ring, [&](ValueRange message) {
      emitDispatch(builder, loc, message, routes, loop);
    });
  }
  emitPollXScale(builder, loc, zero, loop);
  if (channels->takesRx())
    emitPoll(builder, loc, zero, target::RingRx, [&](ValueRange message) {
      emitRx(builder, loc, message);
      builder.create<cf::BranchOp>(loc, loop);
    });
  if (stopInterval == 0)
    emitStopCheck(builder, loc, module);
  // The next poll slows other contexts down only if it is a command.
  if (channels->pollsByCommand())
    call(builder, loc, target::intrinsic::Sleep,
         {word(builder, loc, target::IdleTicks)}, 0);
  else
    call(builder, loc, target::intrinsic::Swap, {}, 0);
  builder.create<cf::BranchOp>(loc, loop);
}

/// The chains of PPFs that packets meet by calls.
class PpfChains {
public:
  /// Returns the most PPFs that a packet meets after the start of `function`.
  uint32_t longestFrom(func::FuncOp function) {
    auto [at, isNew] = lengths.try_emplace(function, 0);
    if (!isNew)
      return at->second;
    uint32_t longest = 0;
    function.walk([&](func::CallOp call) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      longest = std::max(longest, longestFrom(callee) + ir::isPpf(callee));
    });
    return lengths[function] = longest;
  }

private:
  llvm::DenseMap<Operation *, uint32_t> lengths;
};

/// Builds the function that takes the messages of a context to itself.
void LowerChannels::buildContextEntry() {
  ModuleOp module = getOperation();
  SmallVector<Route> routes = channels->calls();
  if (!contextMessages || llvm::none_of(routes, [](Route &route) {
        return route.consumer->hasAttr(ir::rareAttrName);
      }))
    return;
  PpfChains chains;
  uint32_t messagesMax = 0, loopNumber = 1;
  for (Route &route : routes)
    messagesMax = std::max(messagesMax, chains.longestFrom(route.consumer) + 1);
  module.walk([&](ir::LoopEntryOp other) {
    loopNumber = std::max(loopNumber, other.getLoop() + 1);
  });
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = builder.create<func::FuncOp>(
      loc, target::runtime::ContextEntry,
      builder.getFunctionType({builder.getI32Type()}, {}));
  Block *begin = entry.addEntryBlock();
  Block *loop = builder.createBlock(&entry.getBody(), entry.getBody().end(),
                                    builder.getI32Type(), loc);
  Block *done = OpBuilder(builder).createBlock(&entry.getBody());
  builder.setInsertionPointToStart(begin);
  builder.create<ir::LoopEntryOp>(loc, loopNumber);
  builder.create<cf::BranchOp>(loc, loop, entry.getArgument(0));
  builder.setInsertionPointToStart(loop);
  builder.create<ir::LoopIterationOp>(loc, loopNumber, messagesMax);
  SmallVector<Value> message = {loop->getArgument(0), word(builder, loc, 0)};
  emitDispatch(builder, loc, message, routes, done);
  builder.setInsertionPointToStart(done);
  builder.create<func::ReturnOp>(loc);
}

void LowerChannels::buildXScaleEntry() {
  ModuleOp module = getOperation();
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = builder.create<func::FuncOp>(loc, target::runtime::XScaleEntry,
                                            builder.getFunctionType({}, {}));
  Region *body = &entry.getBody();
  builder.setInsertionPointToStart(entry.addEntryBlock());
  SmallVector<Route> routes = channels->routesOn(target::RingToXScale);
  if (routes.empty()) {
    builder.create<func::ReturnOp>(loc);
    return;
  }
  Block *handling = OpBuilder(builder).createBlock(body);
  Block *done = OpBuilder(builder).createBlock(body);
  SmallVector<Value> message = emitGet(builder, loc, target::RingToXScale);
  Value isMessage = builder.create<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ne, message[0], word(builder, loc, 0));
  builder.create<cf::CondBranchOp>(loc, isMessage, handling, done);
  builder.setInsertionPointToStart(handling);
  emitDispatch(builder, loc, message, routes, done);
  builder.setInsertionPointToStart(done);
  builder.create<func::ReturnOp>(loc);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult LowerChannels::checkDecisions() {
  if (!isHost())
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (ir::isPpf(function) && !ir::coreOf(function))
        return function.emitError() << "PPF @" << function.getSymName()
                                    << " has no core: run baker-split-cores";
  if (core == ir::Core::Me &&
      llvm::none_of(
          getOperation().getOps<ir::ChannelOp>(),
          [](ir::ChannelOp channel) { return channel.comesFromRx(); }))
    return getOperation().emitError()
           << "the program takes no packets: no channel comes from rx";
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (!ir::numberOf(channel, ir::idAttrName))
      return channel.emitError() << "channel @" << channel.getSymName()
                                 << " has no number: run baker-assign-memory";
    if (isHost() || channel.goesToTx() || channel.comesFromRx())
      continue;
    std::optional<ir::Via> via = ir::viaOf(channel);
    if (!via ||
        (*via == ir::Via::Ring && !ir::numberOf(channel, ir::ringAttrName)))
      return channel.emitError() << "channel @" << channel.getSymName()
                                 << " has no ring: run baker-split-cores";
  }
  return mlir::success();
}

/// Removes the functions that no entry of this core reaches, and all channels.
void LowerChannels::removeUnreached() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> roots;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = function.getSymName() == target::runtime::EngineEntry ||
                   function.getSymName() == target::runtime::ContextEntry ||
                   function.getSymName() == target::runtime::XScaleEntry;
    if (isEntry || (core != ir::Core::Me && channels->isOurs(function) &&
                    (isHost() || !ir::isPpf(function))))
      roots.push_back(function);
  }
  eraseUnreached(module, roots);
  for (auto channel :
       llvm::make_early_inc_range(module.getOps<ir::ChannelOp>()))
    channel.erase();
}

void LowerChannels::runOnOperation() {
  if (failed(checkDecisions()))
    return signalPassFailure();
  // The puts of other cores' PPFs are not lowered: the PPFs are removed.
  ModuleOp module = getOperation();
  channels.emplace(module, core, aggregate);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (ir::isPpf(function) && !channels->isOurs(function))
      continue;
    SmallVector<ir::ChannelPutOp> puts;
    function.walk([&](ir::ChannelPutOp put) { puts.push_back(put); });
    for (ir::ChannelPutOp put : puts)
      lowerPut(put);
  }
  switch (core) {
  case ir::Core::Me:
    buildMicroengineEntry();
    buildContextEntry();
    break;
  case ir::Core::XScale:
    buildXScaleEntry();
    break;
  case ir::Core::Host: // the host calls the PPFs
    break;
  }
  removeUnreached();
  module.walk([](ir::ChannelPutOp) {
    KARAKAL_UNREACHABLE("a channel_put that was not lowered");
  });
}

} // namespace

} // namespace karakal::passes
