// Packets by equal parts over channels.

#include "passes/memory/PacketShares.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace karakal::passes {

namespace {

/// How often packets go on: the PPFs of the longest path that still counts.
constexpr unsigned hopsMax = 32;

/// The functions that get packets from each PPF; null for tx.
using Consumers = llvm::StringMap<SmallVector<func::FuncOp>>;

Consumers consumersOf(ModuleOp module) {
  Consumers consumers;
  for (auto channel : module.getOps<ir::ChannelOp>()) {
    auto ppf = module.lookupSymbol<func::FuncOp>(channel.getConsumer());
    if (channel.goesToTx() || (ppf && !ppf->hasAttr(ir::coldAttrName)))
      consumers[channel.getProducer()].push_back(ppf);
  }
  return consumers;
}

} // namespace

PacketShares packetShares(ModuleOp module) {
  Consumers consumers = consumersOf(module);
  PacketShares sum;
  llvm::StringMap<double> moving;
  moving["rx"] = 1;
  for (unsigned hop = 0; hop < hopsMax && !moving.empty(); ++hop) {
    llvm::StringMap<double> next;
    for (const auto &[producer, packets] : moving) {
      auto to = consumers.find(producer);
      if (to == consumers.end())
        continue;
      double part = packets / double(to->second.size());
      for (func::FuncOp ppf : to->second)
        if (ppf) {
          sum[ppf] += part;
          next[ppf.getSymName().rsplit('.').first] += part;
        }
    }
    moving = std::move(next);
  }
  return sum;
}

} // namespace karakal::passes
