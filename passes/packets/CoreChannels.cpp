#include "passes/packets/CoreChannels.h"

#include "ir/dialect/ProfileAttributes.h"
#include "support/Assert.h"
#include "target-ixp/chip/Rings.h"

using namespace mlir;

namespace karakal::passes {

func::FuncOp CoreChannels::consumerOf(ir::ChannelOp channel) {
  KARAKAL_ASSERT(!channel.goesToTx(), "Tx is no function");
  return module.lookupSymbol<func::FuncOp>(channel.getConsumer());
}

bool CoreChannels::isOurs(func::FuncOp function) {
  switch (ir::kindOf(function)) {
  case ir::FunctionKind::Ppf:
    return core == ir::Core::Host ||
           (ir::coreOf(function) == core &&
            (aggregate.empty() || core != ir::Core::Me ||
             ir::aggregateOf(function) == aggregate));
  case ir::FunctionKind::Control:
  case ir::FunctionKind::Init:
    return core != ir::Core::Me;
  case ir::FunctionKind::Function:
    return false; // it belongs to its callers
  }
  KARAKAL_UNREACHABLE("no such kind");
}

bool CoreChannels::takesRx() {
  auto plans = ir::aggregatesOf(module);
  bool isFirst =
      aggregate.empty() || plans.empty() || plans.front().name == aggregate;
  return llvm::any_of(
      module.getOps<ir::ChannelOp>(), [&](ir::ChannelOp channel) {
        if (!channel.comesFromRx())
          return false;
        func::FuncOp consumer =
            channel.goesToTx() ? nullptr : consumerOf(channel);
        bool isOnEngine = consumer && ir::coreOf(consumer) == ir::Core::Me;
        return isOnEngine ? isOurs(consumer) : isFirst;
      });
}

bool CoreChannels::isCall(ir::ChannelOp channel) {
  return !channel.goesToTx() && ir::viaOf(channel) == ir::Via::Call;
}

std::set<uint32_t> CoreChannels::ringsHere() {
  std::set<uint32_t> rings;
  for (auto channel : module.getOps<ir::ChannelOp>())
    if (auto ring = ir::numberOf(channel, ir::ringAttrName);
        ring && target::isChannelRing(*ring) && !routesOn(*ring).empty())
      rings.insert(*ring);
  return rings;
}

Route CoreChannels::routeOf(ir::ChannelOp channel) {
  return {*ir::numberOf(channel, ir::idAttrName), consumerOf(channel),
          channel->getAttrOfType<ir::HeadAttr>(ir::headAttrName),
          ir::puntOf(channel), int64_t(ir::profileOf(channel).value_or(1))};
}

SmallVector<Route> CoreChannels::calls() {
  SmallVector<Route> routes;
  for (auto channel : module.getOps<ir::ChannelOp>())
    if (isCall(channel) && isOurs(consumerOf(channel)))
      routes.push_back(routeOf(channel));
  return routes;
}

SmallVector<Route> CoreChannels::routesOn(uint32_t ring) {
  SmallVector<Route> routes;
  for (auto channel : module.getOps<ir::ChannelOp>()) {
    if (channel.goesToTx() || ir::viaOf(channel) != ir::Via::Ring ||
        ir::numberOf(channel, ir::ringAttrName) != ring)
      continue;
    if (isOurs(consumerOf(channel)))
      routes.push_back(routeOf(channel));
  }
  return routes;
}

SmallVector<int64_t> CoreChannels::messageCounts(uint32_t ring) {
  // The order of polling. Rx is last, whatever its number.
  auto order = [](uint32_t number) {
    bool isChannel = target::isChannelRing(number);
    return number == target::RingRx ? 1000 : isChannel ? number : 100 + number;
  };
  int64_t here = 0, later = 0;
  for (auto channel : module.getOps<ir::ChannelOp>()) {
    if (channel.goesToTx() || ir::viaOf(channel) != ir::Via::Ring ||
        !isOurs(consumerOf(channel)))
      continue;
    uint32_t number = *ir::numberOf(channel, ir::ringAttrName);
    auto count = int64_t(ir::profileOf(channel).value_or(1));
    if (number == ring)
      here += count;
    else if (order(number) > order(ring))
      later += count;
  }
  if (here + later == 0)
    here = 1;
  return {here, later};
}

bool CoreChannels::pollsByCommand() {
  return takesRx() || llvm::any_of(ringsHere(), [](uint32_t ring) {
           return !target::isNeighbourRing(ring);
         });
}

} // namespace karakal::passes
