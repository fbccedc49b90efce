// The core of each PPF.
//
// Section 5.1 of the paper: frequently executed aggregates go to the
// microengines, infrequently executed ones to the XScale core. The hot PPFs
// form one aggregate that all programmable microengines run. As long as the
// code fits, duplication needs no balancing and no channel between engines.
// Other traffic than the profile's may make a rare PPF frequent, and the core
// is slow: of the rare PPFs the first `rare-on-engines` in the order of the
// profile stay on the engines, `baker.rare`. Only what the source marks @cold
// goes to the core in any case.
//
// A channel on a cycle cannot be a call. Both ends of such a channel lie in one
// strongly connected component of the PPF graph. If they also lie on the same
// core, the channel becomes a ring of that core: ring 4 for the aggregate,
// to_xscale for the XScale core, which then both puts and takes its messages.
//
// Requires: nothing; uses `baker.profile` and `baker.cold`. Ensures: packets
// can reach every PPF; `baker.core` on PPFs; `baker.via` and `baker.ring` on
// channels; each with its reason; `baker.punt` on channels to the core and
// `baker.cycle` on those of a cycle of the engines.

#include "aggregation/Passes.h"
#include "aggregation/formation/PpfGraph.h"
#include "aggregation/model/PpfCost.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Target.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/Punts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace mlir;

namespace karakal::agg {

#define GEN_PASS_DEF_SPLITCORES
#include "aggregation/Passes.h.inc"

namespace {

/// The aggregate's own ring.
constexpr uint32_t aggregateRing = target::RingFreeFirst;
/// Packets a second on a channel towards the XScale core.
constexpr double puntRateDefault = 100000;
/// The `punt-rate` of channels that make their senders wait.
constexpr llvm::StringLiteral puntRateNone = "none";

void setReason(Operation *op, StringRef name, const Twine &reason) {
  op->setAttr(name, StringAttr::get(op->getContext(), reason));
}

class SplitCores : public impl::SplitCoresBase<SplitCores> {
public:
  using SplitCoresBase::SplitCoresBase;

private:
  void runOnOperation() override {
    if (coldShare < 0 || coldShare > 1) {
      getOperation().emitError()
          << "baker-split-cores: cold-share must lie between 0 and 1";
      return signalPassFailure();
    }
    dropUnreached();
    PpfGraph graph(getOperation());
    KARAKAL_ASSERT(graph.reachable().size() == graph.ppfs.size(),
                   "packets can reach every PPF that is left");
    assignCores(graph);
    realizeChannels(graph);
    if (failed(limitPunts()) || failed(ir::checkDropReasons(getOperation())))
      signalPassFailure();
  }

  void dropUnreached();
  void assignCores(const PpfGraph &graph);
  void keepRare(const PpfGraph &graph, std::set<size_t> rare);
  void realizeChannels(const PpfGraph &graph);
  void setRing(ir::ChannelOp channel, uint32_t ring, const Twine &reason);
  LogicalResult limitPunts();
  FailureOr<llvm::StringMap<double>> parseRates();
};

/// The packets that the rx PPF received, if there is a profile.
std::optional<uint64_t> receivedPackets(ModuleOp module) {
  for (auto channel : module.getOps<ir::ChannelOp>())
    if (channel.comesFromRx() && !channel.goesToTx())
      return ir::profilePacketsOf(
          module.lookupSymbol<func::FuncOp>(channel.getConsumer()));
  return std::nullopt;
}

/// Erases the PPFs that no packet can reach, and their channels.
void SplitCores::dropUnreached() {
  ModuleOp module = getOperation();
  PpfGraph graph(module);
  std::vector<ir::ChannelOp> unused;
  llvm::DenseSet<Operation *> dead(graph.ppfs.begin(), graph.ppfs.end());
  for (size_t index : graph.reachable())
    dead.erase(graph.ppfs[index]);
  for (auto channel : module.getOps<ir::ChannelOp>())
    if (!channel.goesToTx() &&
        dead.contains(module.lookupSymbol(channel.getConsumer())))
      unused.push_back(channel);
  for (func::FuncOp ppf : graph.ppfs)
    if (dead.contains(ppf))
      ppf.erase();
  for (ir::ChannelOp channel : unused)
    channel.erase();
}

void SplitCores::assignCores(const PpfGraph &graph) {
  uint64_t received = receivedPackets(getOperation()).value_or(0);
  std::set<size_t> rare;
  for (size_t index = 0; index < graph.ppfs.size(); ++index) {
    func::FuncOp ppf = graph.ppfs[index];
    ppf->removeAttr(ir::rareAttrName);
    std::optional<uint64_t> packets = ir::profilePacketsOf(ppf);
    bool isProfiled = packets && received != 0;
    double share = isProfiled ? double(*packets) / double(received) : 0;
    ir::Core core = ir::Core::Me;
    std::string reason;
    StringRef symbol = ppf.getSymName();
    if (llvm::any_of(xscale, [&](const std::string &name) {
          return symbol == name || symbol.rsplit('.').first == name;
        })) {
      core = ir::Core::XScale;
      reason = "fixed by the mapping file";
    } else if (ppf->hasAttr(ir::coldAttrName)) {
      core = ir::Core::XScale;
      reason = "marked cold";
    } else if (isProfiled) {
      bool isRare = share < coldShare;
      if (isRare)
        rare.insert(index);
      core = isRare ? ir::Core::XScale : ir::Core::Me;
      reason = llvm::formatv("{0} of {1} packets, {2} the share of {3:f4}",
                             *packets, received, isRare ? "below" : "not below",
                             double(coldShare));
    } else {
      reason = "no profile";
    }
    ir::setCore(ppf, core);
    setReason(ppf, coreReasonAttrName, reason);
  }
  keepRare(graph, std::move(rare));
}

/// Keeps `rare-on-engines` of the rare PPFs (indices) on the engines: again and
/// again the most frequent one, the smallest among those of equal counts, that
/// a PPF on the engines puts to. Others would only get packets from the core.
void SplitCores::keepRare(const PpfGraph &graph, std::set<size_t> rare) {
  target::ChipParameters chip = ir::chipOf(getOperation());
  PpfCosts costs(getOperation(), chip);
  auto isBetter = [&](size_t a, size_t b) {
    func::FuncOp left = graph.ppfs[a], right = graph.ppfs[b];
    uint64_t ofLeft = *ir::profilePacketsOf(left);
    uint64_t ofRight = *ir::profilePacketsOf(right);
    return ofLeft != ofRight ? ofLeft > ofRight
                             : costs.of(left).words < costs.of(right).words;
  };
  for (unsigned kept = 0; kept < rareOnEngines; ++kept) {
    std::optional<size_t> best;
    for (const PpfEdge &edge : graph.edges)
      if (ir::coreOf(graph.ppfs[edge.from]) == ir::Core::Me &&
          rare.count(edge.to) && (!best || isBetter(edge.to, *best)))
        best = edge.to;
    if (!best)
      return;
    rare.erase(*best);
    func::FuncOp ppf = graph.ppfs[*best];
    ir::setCore(ppf, ir::Core::Me);
    ppf->setAttr(ir::rareAttrName, UnitAttr::get(&getContext()));
    auto reason = ppf->getAttrOfType<StringAttr>(coreReasonAttrName);
    setReason(ppf, coreReasonAttrName,
              reason.getValue() + ", but there is room on the engines");
  }
}

void SplitCores::setRing(ir::ChannelOp channel, uint32_t ring,
                         const Twine &reason) {
  ir::setVia(channel, ir::Via::Ring);
  ir::setNumber(channel, ir::ringAttrName, ring);
  setReason(channel, viaReasonAttrName, reason);
}

void SplitCores::realizeChannels(const PpfGraph &graph) {
  // Channels from Rx and to Tx are always rings. A channel without a producer
  // is a call that never happens.
  for (auto channel : getOperation().getOps<ir::ChannelOp>()) {
    if (channel.goesToTx()) {
      setRing(channel, target::RingTx, "leads to Tx");
      continue;
    }
    if (channel.comesFromRx()) {
      auto consumer =
          getOperation().lookupSymbol<func::FuncOp>(channel.getConsumer());
      bool isOnMe = ir::coreOf(consumer) == ir::Core::Me;
      setRing(channel, isOnMe ? target::RingRx : target::RingToXScale,
              isOnMe ? "comes from Rx"
                     : "comes from Rx, handed on by an engine");
      continue;
    }
    ir::setVia(channel, ir::Via::Call);
    channel->removeAttr(ir::ringAttrName);
    channel->removeAttr(ir::cycleAttrName);
    setReason(channel, viaReasonAttrName, "inside one core's program");
  }
  for (ir::ChannelOp channel : graph.fromControl) {
    auto to = getOperation().lookupSymbol<func::FuncOp>(channel.getConsumer());
    if (ir::coreOf(to) == ir::Core::Me)
      setRing(channel, target::RingFromXScale,
              "leads from a control function to the engines");
  }
  std::vector<int> component = graph.components();
  for (const PpfEdge &edge : graph.edges) {
    KARAKAL_ASSERT(ir::coreOf(graph.ppfs[edge.from]) &&
                       ir::coreOf(graph.ppfs[edge.to]),
                   "each PPF has a core");
    ir::Core from = *ir::coreOf(graph.ppfs[edge.from]);
    ir::Core to = *ir::coreOf(graph.ppfs[edge.to]);
    if (from != to)
      setRing(edge.channel,
              to == ir::Core::XScale ? target::RingToXScale
                                     : target::RingFromXScale,
              "crosses from one core to the other");
    else if (component[edge.from] == component[edge.to]) {
      setRing(edge.channel,
              to == ir::Core::XScale ? target::RingToXScale : aggregateRing,
              "lies on a cycle of the PPF graph");
      if (to == ir::Core::Me)
        edge.channel->setAttr(ir::cycleAttrName, UnitAttr::get(&getContext()));
    }
  }
}

/// Parses `punt-rate`. The rate of all channels has the name "".
FailureOr<llvm::StringMap<double>> SplitCores::parseRates() {
  llvm::StringMap<double> rates;
  rates[""] = puntRateDefault;
  for (const std::string &text : puntRates) {
    auto [name, number] = StringRef(text).rsplit('=');
    if (number.empty())
      std::swap(name, number);
    double rate = 0;
    if (number.getAsDouble(rate) || !(rate > 0))
      return getOperation().emitError()
             << "punt-rate: '" << text
             << "' is neither PACKETS nor CHANNEL=PACKETS, with PACKETS a "
                "second above 0 [E-aggregation-008]";
    rates[name] = rate;
  }
  return rates;
}

/// Gives the channels towards the XScale core their limits.
LogicalResult SplitCores::limitPunts() {
  ModuleOp module = getOperation();
  std::vector<ir::ChannelOp> punts;
  for (auto channel : module.getOps<ir::ChannelOp>()) {
    channel->removeAttr(ir::puntAttrName);
    if (ir::numberOf(channel, ir::ringAttrName) == target::RingToXScale)
      punts.push_back(channel);
  }
  if (llvm::is_contained(puntRates, puntRateNone)) {
    if (puntRates.size() == 1)
      return mlir::success();
    return module.emitError() << "punt-rate: '" << puntRateNone
                              << "' excludes other rates [E-aggregation-009]";
  }
  FailureOr<llvm::StringMap<double>> rates = parseRates();
  if (failed(rates))
    return mlir::failure();
  double rateOfAll = rates->lookup("");
  rates->erase("");
  double clock = double(ir::chipOf(module).meClockHz);
  for (uint32_t number = 0; number < punts.size(); ++number) {
    ir::ChannelOp channel = punts[number];
    auto named = rates->find(channel.getSymName());
    double rate = named == rates->end() ? rateOfAll : named->second;
    channel->setAttr(
        ir::puntAttrName,
        ir::PuntAttr::get(&getContext(), number,
                          target::puntWaiting(uint32_t(punts.size())),
                          target::puntPerWindow(rate, clock)));
    if (named != rates->end())
      rates->erase(named);
  }
  if (rates->empty())
    return mlir::success();
  std::vector<StringRef> names;
  for (ir::ChannelOp channel : punts)
    names.push_back(channel.getSymName());
  return module.emitError()
         << "punt-rate: '" << rates->begin()->first()
         << "' is no channel to a PPF on the XScale core; there are: "
         << (names.empty() ? "none" : llvm::join(names, ", "))
         << " [E-aggregation-010]";
}

} // namespace

} // namespace karakal::agg
