// One core's program out of the PPF graph.
//
// A channel inside a core's program is a call, any other a message on a ring:
//
//   baker.channel_put @cls.arp_cc, %ph  →  call @arp.in_cc(%ph)
//                                       or baker.packet_send %ph ring 2 id 3
//
// What comes from a ring becomes a packet by `baker.packet_take`.
//
// The entry of a microengine is an endless loop around the rings, each context
// runs it. Messages that have come farthest go first: the aggregate's own ring
// (channels on a cycle of the PPF graph), what the XScale core sends, and only
// then new packets, so that a full ring drains before more is taken in. A
// context that finds no message sleeps for a while: the looks of idle contexts
// would take the scratchpad from those that work. The XScale core's entry
// handles its ring until it is empty.
//
// Requires: `baker.id` on channels; except for the host, `baker.core` on PPFs
// and `baker.via` on channels. Ensures: no channel_put and no channel, nothing
// unreachable.

#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Passes.h"
#include "passes/packets/RuntimeCalls.h"
#include "passes/packets/Stoppable.h"
#include "support/Error.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_LOWERCHANNELS
#include "passes/Passes.h.inc"

namespace {

/// The ring number under which the host queues messages.
constexpr uint32_t hostQueueRing = target::RingRx;

/// One entry of a dispatch: messages with `id` go to `consumer`.
struct Route {
  uint32_t id;
  func::FuncOp consumer;
  /// Where the heads of its packets are, if that is known.
  ir::HeadAttr head;
  /// Messages in the profile.
  int64_t messages = 1;
};

class LowerChannels : public impl::LowerChannelsBase<LowerChannels> {
public:
  using LowerChannelsBase::LowerChannelsBase;

private:
  void runOnOperation() override;

  LogicalResult checkDecisions();
  func::FuncOp consumerOf(ir::ChannelOp channel);
  /// Whether `function` is part of this core's program.
  bool isOurs(func::FuncOp function);
  /// Whether this program takes what Rx receives.
  bool takesRx();
  /// Whether the channel is a call in this core's program.
  bool isCall(ir::ChannelOp channel);

  void lowerPut(ir::ChannelPutOp put);
  void emitMessage(OpBuilder &builder, Location loc, uint32_t ring, uint32_t id,
                   Value packet);
  void emitHostMessage(OpBuilder &builder, Location loc, uint32_t ring,
                       uint32_t id, Value packet);

  void buildMicroengineEntry();
  void buildXScaleEntry();
  SmallVector<Value> emitGet(OpBuilder &builder, Location loc, uint32_t ring);
  std::set<uint32_t> ringsHere();
  bool asksByCommand();
  void emitDispatch(OpBuilder &builder, Location loc, ValueRange message,
                    ArrayRef<Route> routes, Block *next);
  void emitDelivery(OpBuilder &builder, Location loc, ValueRange message,
                    const Route &route);
  void assumeFromRx(OpBuilder &builder, Location loc, ValueRange message);
  void emitRx(OpBuilder &builder, Location loc, ValueRange message);
  SmallVector<Route> routesOn(uint32_t ring);
  SmallVector<int64_t> messageCounts(uint32_t ring);

  void removeUnreached();

  ValueRange call(OpBuilder &builder, Location loc, StringRef name,
                  ValueRange operands, unsigned results);
  Value word(OpBuilder &builder, Location loc, uint32_t value);

  bool isHost() const { return core == "host"; }
  ir::Core coreHere() const {
    return core == "me" ? ir::Core::Me : ir::Core::XScale;
  }
};

//===----------------------------------------------------------------------===//
// Small pieces of IR
//===----------------------------------------------------------------------===//

Value LowerChannels::word(OpBuilder &builder, Location loc, uint32_t value) {
  return builder.create<arith::ConstantOp>(
      loc, builder.getI32IntegerAttr(int32_t(value)));
}

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

func::FuncOp LowerChannels::consumerOf(ir::ChannelOp channel) {
  return getOperation().lookupSymbol<func::FuncOp>(channel.getConsumer());
}

bool LowerChannels::isOurs(func::FuncOp function) {
  switch (ir::kindOf(function)) {
  case ir::FunctionKind::Ppf:
    return isHost() || (ir::coreOf(function) == coreHere() &&
                        (aggregate.empty() || core != "me" ||
                         ir::aggregateOf(function) == aggregate));
  case ir::FunctionKind::Control:
  case ir::FunctionKind::Init:
    return core != "me";
  case ir::FunctionKind::Function:
    return false; // by being called
  }
  KARAKAL_UNREACHABLE("no such kind");
}

bool LowerChannels::takesRx() {
  auto plans = ir::aggregatesOf(getOperation());
  bool isFirst =
      aggregate.empty() || plans.empty() || plans.front().name == aggregate;
  return llvm::any_of(
      getOperation().getOps<ir::ChannelOp>(), [&](ir::ChannelOp channel) {
        if (!channel.comesFromRx())
          return false;
        func::FuncOp consumer =
            channel.goesToTx() ? nullptr : consumerOf(channel);
        bool isOnEngine = consumer && ir::coreOf(consumer) == ir::Core::Me;
        return isOnEngine ? isOurs(consumer) : isFirst;
      });
}

bool LowerChannels::isCall(ir::ChannelOp channel) {
  return !channel.goesToTx() && ir::viaOf(channel) == ir::Via::Call;
}

void LowerChannels::emitMessage(OpBuilder &builder, Location loc, uint32_t ring,
                                uint32_t id, Value packet) {
  builder.create<ir::PacketSendOp>(loc, packet, ring, id, Value(), Value());
  ++ringPutCount;
}

/// The host's messages are one word, `id << 24 | handle`.
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
  ++ringPutCount;
}

void LowerChannels::lowerPut(ir::ChannelPutOp put) {
  OpBuilder builder(put);
  Location loc = put.getLoc();
  auto channel = getOperation().lookupSymbol<ir::ChannelOp>(put.getChannel());
  uint32_t id = channel.goesToTx() ? 0 : *ir::numberOf(channel, ir::idAttrName);
  if (isCall(channel)) {
    builder.create<func::CallOp>(loc, consumerOf(channel), put.getPacket());
    ++callCount;
  } else if (isHost()) {
    uint32_t ring = channel.goesToTx() ? target::RingTx : hostQueueRing;
    emitHostMessage(builder, loc, ring, id, put.getPacket());
  } else {
    uint32_t ring = channel.goesToTx()
                        ? target::RingTx
                        : *ir::numberOf(channel, ir::ringAttrName);
    emitMessage(builder, loc, ring, id, put.getPacket());
  }
  put.erase();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The rings of channels that this core takes messages from, in the order in
/// which it asks them.
std::set<uint32_t> LowerChannels::ringsHere() {
  std::set<uint32_t> rings;
  for (auto channel : getOperation().getOps<ir::ChannelOp>())
    if (auto ring = ir::numberOf(channel, ir::ringAttrName);
        ring && target::isChannelRing(*ring) && !routesOn(*ring).empty())
      rings.insert(*ring);
  return rings;
}

/// The channels whose messages this core takes from `ring`.
SmallVector<Route> LowerChannels::routesOn(uint32_t ring) {
  SmallVector<Route> routes;
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (channel.goesToTx() || ir::viaOf(channel) != ir::Via::Ring ||
        ir::numberOf(channel, ir::ringAttrName) != ring)
      continue;
    if (func::FuncOp consumer = consumerOf(channel); isOurs(consumer))
      routes.push_back({*ir::numberOf(channel, ir::idAttrName), consumer,
                        channel->getAttrOfType<ir::HeadAttr>(ir::headAttrName),
                        int64_t(ir::profileOf(channel).value_or(1))});
  }
  return routes;
}

/// The two words of a message, both 0 if the ring is empty.
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
  return llvm::to_vector(call(builder, loc, target::intrinsic::RingGet,
                              {word(builder, loc, ring)},
                              target::RingMessageWords));
}

/// Messages of Rx alone have the number 0.
void LowerChannels::emitDelivery(OpBuilder &builder, Location loc,
                                 ValueRange message, const Route &route) {
  func::FuncOp consumer = route.consumer;
  auto take = builder.create<ir::PacketTakeOp>(
      loc, consumer.getFunctionType().getInput(0), message[0], message[1],
      /*from_rx=*/route.id == 0);
  if (route.head)
    take->setAttr(ir::headAttrName, route.head);
  builder.create<func::CallOp>(loc, consumer, take.getPacket());
}

/// Calls the consumer that the message's id names, then goes to `next`.
void LowerChannels::emitDispatch(OpBuilder &builder, Location loc,
                                 ValueRange message, ArrayRef<Route> routes,
                                 Block *next) {
  if (routes.size() == 1) {
    emitDelivery(builder, loc, message, routes.front());
    builder.create<cf::BranchOp>(loc, next);
    return;
  }
  Value id = builder.create<arith::ShRUIOp>(
      loc, message[0], word(builder, loc, target::RingChannelShift));
  SmallVector<int32_t> values;
  SmallVector<int64_t> counts = {0}; // no other ids come
  SmallVector<Block *> blocks;
  Region *region = next->getParent();
  for (const Route &route : routes) {
    OpBuilder inner(builder.getContext());
    Block *block = inner.createBlock(region);
    emitDelivery(inner, loc, message, route);
    inner.create<cf::BranchOp>(loc, next);
    values.push_back(int32_t(route.id));
    counts.push_back(route.messages);
    blocks.push_back(block);
  }
  SmallVector<ValueRange> noOperands(blocks.size());
  auto dispatch = builder.create<cf::SwitchOp>(loc, id, next, ValueRange(),
                                               values, blocks, noOperands);
  ir::setBranchCounts(dispatch, counts);
}

/// What runtime/rx.uc promises of its messages' words, `port << 24 | handle`
/// and `head << 16 | length`.
void LowerChannels::assumeFromRx(OpBuilder &builder, Location loc,
                                 ValueRange message) {
  auto assume = [&](arith::CmpIPredicate predicate, Value value,
                    uint32_t bound) {
    builder.create<LLVM::AssumeOp>(
        loc, builder.create<arith::CmpIOp>(loc, predicate, value,
                                           word(builder, loc, bound)));
  };
  Value head =
      builder.create<arith::ShRUIOp>(loc, message[1], word(builder, loc, 16));
  Value length = builder.create<arith::AndIOp>(loc, message[1],
                                               word(builder, loc, 0xffff));
  assume(arith::CmpIPredicate::ult, message[0],
         target::PortCount << target::RingPortShift);
  assume(arith::CmpIPredicate::eq, head, target::BufferHeadroom);
  assume(arith::CmpIPredicate::uge, length, target::FrameBytesMin);
}

/// Hands a packet from Rx to its PPF, which may be on the XScale core.
void LowerChannels::emitRx(OpBuilder &builder, Location loc,
                           ValueRange message) {
  assumeFromRx(builder, loc, message);
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (!channel.comesFromRx())
      continue;
    if (!channel.goesToTx())
      if (func::FuncOp consumer = consumerOf(channel); isOurs(consumer))
        return emitDelivery(builder, loc, message, {0, consumer, {}});
    Value packet = builder.create<ir::PacketTakeOp>(
        loc, ir::PacketType::get(&getContext(), channel.getProtocol()),
        message[0], message[1], true);
    if (channel.goesToTx())
      return emitMessage(builder, loc, target::RingTx, 0, packet);
    return emitMessage(builder, loc, target::RingToXScale,
                       *ir::numberOf(channel, ir::idAttrName), packet);
  }
}

/// Rounds of the loop that find a message on `ring` and those that go on to
/// the rings asked after it, under full load: the loop's end is never reached.
SmallVector<int64_t> LowerChannels::messageCounts(uint32_t ring) {
  // In the order of asking; rx is the last, whatever its number.
  auto place = [](uint32_t number) {
    bool isChannel = target::isChannelRing(number);
    return number == target::RingRx ? 1000 : isChannel ? number : 100 + number;
  };
  int64_t here = 0, later = 0;
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (channel.goesToTx() || ir::viaOf(channel) != ir::Via::Ring ||
        !isOurs(consumerOf(channel)))
      continue;
    uint32_t number = *ir::numberOf(channel, ir::ringAttrName);
    auto count = int64_t(ir::profileOf(channel).value_or(1));
    if (number == ring)
      here += count;
    else if (place(number) > place(ring))
      later += count;
  }
  if (here + later == 0)
    here = 1;
  return {here, later};
}

void LowerChannels::buildMicroengineEntry() {
  ModuleOp module = getOperation();
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = builder.create<func::FuncOp>(loc, target::runtime::EngineEntry,
                                            builder.getFunctionType({}, {}));
  Region *body = &entry.getBody();
  builder.setInsertionPointToStart(entry.addEntryBlock());
  Block *loop = OpBuilder(builder).createBlock(body);
  builder.create<cf::BranchOp>(loc, loop);
  builder.setInsertionPointToStart(loop);
  Value zero = word(builder, loc, 0);

  // Ends the current block: a message from `ring` is dispatched and the loop
  // begins anew; without one, code goes on in a new block.
  auto poll = [&](uint32_t ring, auto emitHandling) {
    SmallVector<Value> message = emitGet(builder, loc, ring);
    // A handle is never 0; the program needs it by itself anyway.
    Value handle = builder.create<arith::AndIOp>(
        loc, message[0], word(builder, loc, target::HandleMask));
    Value isMessage = builder.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ne, handle, zero);
    Block *handling = OpBuilder(builder).createBlock(body);
    Block *none = OpBuilder(builder).createBlock(body);
    auto branch =
        builder.create<cf::CondBranchOp>(loc, isMessage, handling, none);
    ir::setBranchCounts(branch, messageCounts(ring));
    builder.setInsertionPointToStart(handling);
    emitHandling(message);
    builder.setInsertionPointToStart(none);
  };

  for (uint32_t ring : ringsHere()) {
    SmallVector<Route> routes = routesOn(ring);
    poll(ring, [&](ValueRange message) {
      emitDispatch(builder, loc, message, routes, loop);
    });
  }

  SmallVector<Route> fromXScale = routesOn(target::RingFromXScale);
  if (!fromXScale.empty()) {
    // The ring's line is on while it is empty: looking costs no memory access.
    Value isEmpty = call(builder, loc, target::intrinsic::RingStatus,
                         {word(builder, loc, target::RingFromXScale)}, 1)[0];
    Value isNot = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                isEmpty, zero);
    Block *get = OpBuilder(builder).createBlock(body);
    Block *rx = OpBuilder(builder).createBlock(body);
    auto look = builder.create<cf::CondBranchOp>(loc, isNot, get, rx);
    ir::setBranchCounts(look, messageCounts(target::RingFromXScale));
    builder.setInsertionPointToStart(get);
    poll(target::RingFromXScale, [&](ValueRange message) {
      emitDispatch(builder, loc, message, fromXScale, loop);
    });
    builder.create<cf::BranchOp>(loc, rx);
    builder.setInsertionPointToStart(rx);
  }

  if (takesRx())
    poll(target::RingRx, [&](ValueRange message) {
      emitRx(builder, loc, message);
      builder.create<cf::BranchOp>(loc, loop);
    });
  if (module->hasAttr(stoppableAttrName)) {
    Value asked = call(builder, loc, target::runtime::StopAsked, {}, 1)[0];
    Value isAsked = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                  asked, word(builder, loc, 0));
    Block *stop = OpBuilder(builder).createBlock(body);
    Block *goOn = OpBuilder(builder).createBlock(body);
    builder.create<cf::CondBranchOp>(loc, isAsked, stop, goOn);
    builder.setInsertionPointToStart(stop);
    builder.create<func::ReturnOp>(loc);
    builder.setInsertionPointToStart(goOn);
  }
  // The next look costs others something only if it is a command.
  if (asksByCommand())
    call(builder, loc, target::intrinsic::Sleep,
         {word(builder, loc, target::IdleTicks)}, 0);
  else
    call(builder, loc, target::intrinsic::Swap, {}, 0);
  builder.create<cf::BranchOp>(loc, loop);
}

/// Whether a look for messages is a command to a unit that others share.
bool LowerChannels::asksByCommand() {
  return takesRx() || llvm::any_of(ringsHere(), [](uint32_t ring) {
           return !target::isNeighbourRing(ring);
         });
}

void LowerChannels::buildXScaleEntry() {
  ModuleOp module = getOperation();
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = builder.create<func::FuncOp>(loc, target::runtime::XScaleEntry,
                                            builder.getFunctionType({}, {}));
  Region *body = &entry.getBody();
  builder.setInsertionPointToStart(entry.addEntryBlock());
  SmallVector<Route> routes = routesOn(target::RingToXScale);
  if (routes.empty()) {
    builder.create<func::ReturnOp>(loc);
    return;
  }
  Block *loop = OpBuilder(builder).createBlock(body);
  Block *handling = OpBuilder(builder).createBlock(body);
  Block *done = OpBuilder(builder).createBlock(body);
  builder.create<cf::BranchOp>(loc, loop);
  builder.setInsertionPointToStart(loop);
  SmallVector<Value> message = emitGet(builder, loc, target::RingToXScale);
  Value isMessage = builder.create<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ne, message[0], word(builder, loc, 0));
  builder.create<cf::CondBranchOp>(loc, isMessage, handling, done);
  builder.setInsertionPointToStart(handling);
  emitDispatch(builder, loc, message, routes, loop);
  builder.setInsertionPointToStart(done);
  builder.create<func::ReturnOp>(loc);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult LowerChannels::checkDecisions() {
  if (core != "me" && core != "xscale" && core != "host")
    return getOperation().emitError()
           << "baker-lower-channels: core must be me, xscale or host, not '"
           << core << "'";
  if (!isHost())
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (ir::isPpf(function) && !ir::coreOf(function))
        return function.emitError() << "PPF @" << function.getSymName()
                                    << " has no core: run baker-split-cores";
  if (core == "me" && llvm::none_of(getOperation().getOps<ir::ChannelOp>(),
                                    [](ir::ChannelOp channel) {
                                      return channel.comesFromRx();
                                    }))
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

/// Removes the functions that no entry of this core reaches, and the channels,
/// which the code no longer names.
void LowerChannels::removeUnreached() {
  ModuleOp module = getOperation();
  SetVector<Operation *> reached;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = function.getSymName() == target::runtime::EngineEntry ||
                   function.getSymName() == target::runtime::XScaleEntry;
    if (isEntry || (core != "me" && isOurs(function) &&
                    (isHost() || !ir::isPpf(function))))
      reached.insert(function);
  }
  for (size_t i = 0; i < reached.size(); ++i)
    reached[i]->walk([&](func::CallOp call) {
      reached.insert(module.lookupSymbol(call.getCallee()));
    });
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function))
      function.erase();
  for (auto channel :
       llvm::make_early_inc_range(module.getOps<ir::ChannelOp>()))
    channel.erase();
}

void LowerChannels::runOnOperation() {
  if (failed(checkDecisions()))
    return signalPassFailure();
  // The other core's PPFs go first: their puts are not ours to lower.
  ModuleOp module = getOperation();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (ir::isPpf(function) && !isOurs(function))
      continue;
    SmallVector<ir::ChannelPutOp> puts;
    function.walk([&](ir::ChannelPutOp put) { puts.push_back(put); });
    for (ir::ChannelPutOp put : puts)
      lowerPut(put);
  }
  if (core == "me")
    buildMicroengineEntry();
  else if (core == "xscale")
    buildXScaleEntry();
  removeUnreached();
}

} // namespace

} // namespace karakal::passes
