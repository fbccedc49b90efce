// Aggregates, their engines and rings.
//
// The pass around Formation.h. It reads PPFs, channels and the profile of the
// program, runs the algorithm, and writes the plan as attributes.
//
//   baker.channel @a.out : "ether" from "a" to @b.in
//
// becomes a call if a and b are in one aggregate, else a ring of the receiving
// aggregate. Channels on a cycle inside an aggregate have a ring of their own,
// which is polled first, so it drains before new packets come in.
//
// Engines cannot deadlock: an aggregate waits only for a full ring of a later
// one (Formation.h), and the last one waits only for Tx.
//
// Requires: `baker.core` on PPFs (baker-split-cores); `baker.profile` helps.
// Ensures: `baker.aggregates` on the module, `baker.aggregate` on PPFs of the
// microengines, `baker.via` and `baker.ring` on their channels.

#include "aggregation/Passes.h"
#include "aggregation/formation/Formation.h"
#include "aggregation/formation/MappingFile.h"
#include "aggregation/formation/PpfGraph.h"
#include "aggregation/formation/RingAllocator.h"
#include "aggregation/model/PpfCost.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/KeptOrder.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace karakal::agg {

using target::CommandCost;
using target::commandCost;
using target::CommandKind;

#define GEN_PASS_DEF_AGGREGATION
#include "aggregation/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral explainName = "aggregation";
/// Words of the dispatch loop and of primitives that stay functions.
constexpr double loopWords = 60;
/// Instructions of a put and a get with the dispatch between them, and SRAM
/// commands with which the receiver reads the descriptor again.
constexpr double ringInstructions = 24;
constexpr unsigned ringSramCommands = 2;

class Aggregation : public impl::AggregationBase<Aggregation> {
public:
  using AggregationBase::AggregationBase;

private:
  void runOnOperation() override;
  LogicalResult readMapping();
  LogicalResult findPins(const PpfGraph &graph);
  FormationInput inputOf(const PpfGraph &graph);
  void keepProducersTogether(const PpfGraph &graph, FormationInput &input);
  void write(const PpfGraph &graph, const FormationInput &input,
             const Formation &formed);
  bool wantsSram(StringRef aggregate) const;
  LogicalResult writeRings(const PpfGraph &graph);
  void setRing(ir::ChannelOp channel, std::optional<uint32_t> ring,
               const Twine &reason);
  void explainSteps(const Formation &formed);
  void reportNoMapping(const PpfGraph &graph, const FormationInput &input,
                       const Formation &formed);

  Mapping file;
  /// Indices in PpfGraph::ppfs of the PPFs that engines run, by the PPF's index
  /// in the formation, and the inverse.
  SmallVector<size_t> onEngines;
  llvm::DenseMap<size_t, size_t> indexOf;
  SmallVector<int> pins;
};

/// Whether a name in a mapping file means this PPF body: its symbol, or the
/// symbol without the endpoint.
bool isNamed(func::FuncOp ppf, StringRef name) {
  StringRef symbol = ppf.getSymName();
  return symbol == name || symbol.rsplit('.').first == name;
}

std::string shortName(func::FuncOp ppf) {
  return ppf.getSymName().rsplit('.').first.str();
}

LogicalResult Aggregation::readMapping() {
  if (mapping.empty())
    return mlir::success();
  auto buffer = llvm::MemoryBuffer::getFile(mapping, /*IsText=*/true);
  if (!buffer)
    return getOperation().emitError()
           << mapping
           << ": the mapping cannot be read: " << buffer.getError().message()
           << " [E-aggregation-003]";
  Result<Mapping> read =
      parseMapping((*buffer)->getBuffer().str(), std::string(mapping),
                   target::appEngineCount(ir::chipOf(getOperation())));
  if (!read)
    return getOperation().emitError() << read.error().str();
  file = std::move(*read);
  return mlir::success();
}

/// Finds the PPFs that the mapping file names.
LogicalResult Aggregation::findPins(const PpfGraph &graph) {
  pins.assign(graph.ppfs.size(), -1);
  for (size_t pin = 0; pin < file.aggregates.size(); ++pin)
    for (const std::string &name : file.aggregates[pin].ppfs) {
      bool isFound = false;
      for (size_t i = 0; i < graph.ppfs.size(); ++i) {
        if (!isNamed(graph.ppfs[i], name))
          continue;
        isFound = true;
        if (ir::coreOf(graph.ppfs[i]) != ir::Core::Me)
          return getOperation().emitError()
                 << mapping << ": PPF '" << name
                 << "' runs on the XScale core: "
                 << graph.ppfs[i]
                        ->getAttrOfType<StringAttr>(coreReasonAttrName)
                        .getValue()
                 << " [E-aggregation-004]";
        if (pins[i] >= 0 && pins[i] != int(pin))
          return getOperation().emitError()
                 << mapping << ": PPF '" << name << "' is in two aggregates"
                 << " [E-aggregation-005]";
        pins[i] = int(pin);
      }
      if (!isFound)
        return getOperation().emitError() << mapping << ": there is no PPF '"
                                          << name << "' [E-aggregation-006]";
    }
  return mlir::success();
}

/// The PPF that takes the packets from Rx, or null.
func::FuncOp entryOf(ModuleOp program) {
  for (auto channel : program.getOps<ir::ChannelOp>())
    if (channel.comesFromRx() && !channel.goesToTx())
      return program.lookupSymbol<func::FuncOp>(channel.getConsumer());
  return nullptr;
}

/// Packets over the channel per packet received; `fallback` without a profile.
double trafficOf(ir::ChannelOp channel, double received, double fallback) {
  std::optional<uint64_t> packets = ir::profileOf(channel);
  return packets && received != 0 ? double(*packets) / received : fallback;
}

FormationInput Aggregation::inputOf(const PpfGraph &graph) {
  FormationInput input;
  input.chip = ir::chipOf(getOperation());
  input.frames.keepsOrder = ir::keepsOrder(getOperation());
  input.engines = engines;
  input.wordsMax =
      wordsMax ? double(wordsMax) : double(input.chip.meControlStore);
  input.wordsFixed = loopWords;
  CommandCost scratch =
      commandCost(input.chip, SharedUnit::Scratch, CommandKind::Memory, 2);
  CommandCost sram =
      commandCost(input.chip, SharedUnit::Sram0, CommandKind::Memory, 1);
  input.ring.issue = ringInstructions;
  input.ring.latency = 2 * scratch.latency + ringSramCommands * sram.latency;
  input.ring.addCommands(SharedUnit::Scratch, 2, scratch.busy);
  input.ring.addCommands(SharedUnit::Sram0, ringSramCommands, sram.busy);
  for (const MappedAggregate &aggregate : file.aggregates)
    input.pins.push_back({aggregate.name, aggregate.engines});
  std::optional<ir::ProgramProfile> profile = ir::profileOf(getOperation());
  double received = profile ? double(profile->received) : 0;
  PpfCosts costs(getOperation(), input.chip);
  double lockShare = costs.busiestLockShare();
  func::FuncOp entry = entryOf(getOperation());
  for (size_t i = 0; i < graph.ppfs.size(); ++i) {
    func::FuncOp ppf = graph.ppfs[i];
    KARAKAL_ASSERT(ir::coreOf(ppf), "baker-split-cores gave each PPF a core");
    if (ir::coreOf(ppf) != ir::Core::Me)
      continue;
    if (ppf == entry)
      input.entry = onEngines.size();
    indexOf[i] = onEngines.size();
    onEngines.push_back(i);
    PpfCost cost = costs.of(ppf);
    cost.cost.shareLocks(lockShare);
    auto packets = ir::profilePacketsOf(ppf);
    input.ppfs.push_back(
        {shortName(ppf), cost.cost,
         packets && received != 0 ? double(*packets) / received : 1,
         cost.words * wordsScale, pins[i]});
  }
  for (const PpfEdge &edge : graph.edges)
    if (indexOf.count(edge.from) && indexOf.count(edge.to))
      input.channels.push_back({indexOf[edge.from], indexOf[edge.to],
                                trafficOf(edge.channel, received, 0.5)});
  keepProducersTogether(graph, input);
  return input;
}

/// A channel is either a call or a ring for all its producers. They must share
/// an aggregate, so they are treated like PPFs on a cycle.
void Aggregation::keepProducersTogether(const PpfGraph &graph,
                                        FormationInput &input) {
  llvm::DenseMap<Operation *, size_t> first;
  for (const PpfEdge &edge : graph.edges) {
    if (!indexOf.count(edge.from))
      continue;
    size_t from = indexOf[edge.from];
    auto [at, isNew] = first.try_emplace(edge.channel, from);
    if (isNew || at->second == from)
      continue;
    input.channels.push_back({from, at->second, 0});
    input.channels.push_back({at->second, from, 0});
  }
}

void Aggregation::explainSteps(const Formation &formed) {
  SmallVector<Attribute> list;
  for (const FormationStep &step : formed.steps) {
    ir::explain(getOperation(), explainName)
        << ir::stringifyFormationStepKind(step.kind) << " " << step.subject
        << ": " << step.reason;
    list.push_back(ir::FormationStepAttr::get(&getContext(), step.kind,
                                              step.subject, step.reason));
  }
  getOperation()->setAttr(stepsAttrName, ArrayAttr::get(&getContext(), list));
}

/// Reports at the PPF that takes the received packets why there is no mapping,
/// and at its first PPF what each aggregate needs.
void Aggregation::reportNoMapping(const PpfGraph &graph,
                                  const FormationInput &input,
                                  const Formation &formed) {
  func::FuncOp entry = graph.ppfs[onEngines[input.entry]];
  InFlightDiagnostic error = entry.emitError()
                             << "no mapping: " << formed.failure
                             << " [E-aggregation-002]";
  for (const FormedAggregate &aggregate : formed.aggregates) {
    func::FuncOp first = graph.ppfs[onEngines[aggregate.ppfs.front()]];
    Diagnostic &note = error.attachNote(first.getLoc());
    note << "about "
         << llvm::formatv("{0:f0} of {1:f0}", aggregate.words, input.wordsMax)
                .str()
         << " words on " << aggregate.engines
         << (aggregate.engines == 1 ? " engine: " : " engines: ");
    llvm::interleaveComma(aggregate.ppfs, note, [&](size_t ppf) {
      note << "'" << input.ppfs[ppf].name << "'";
    });
  }
}

void Aggregation::write(const PpfGraph &graph, const FormationInput &input,
                        const Formation &formed) {
  std::vector<ir::AggregatePlan> plan;
  uint32_t next = target::AppEngineFirst;
  llvm::StringSet<> taken;
  for (const FormedAggregate &aggregate : formed.aggregates) {
    ir::AggregatePlan made;
    if (aggregate.pin >= 0)
      made.name = input.pins[aggregate.pin].name;
    else
      made.name = plan.empty() ? ir::mainAggregateName.str()
                               : input.ppfs[aggregate.ppfs.front()].name;
    while (!taken.insert(made.name).second)
      made.name += ".2";
    for (unsigned i = 0; i < aggregate.engines; ++i)
      made.engines.push_back(next++);
    for (size_t ppf : aggregate.ppfs)
      ir::setAggregate(graph.ppfs[onEngines[ppf]], made.name);
    plan.push_back(std::move(made));
  }
  // If all PPFs are cold, engines still pass packets from Rx to the XScale
  // core.
  if (plan.empty()) {
    ir::AggregatePlan only{ir::mainAggregateName.str(), {}};
    for (unsigned i = 0; i < engines; ++i)
      only.engines.push_back(target::AppEngineFirst + i);
    plan.push_back(std::move(only));
  }
  KARAKAL_ASSERT(next <= target::AppEngineFirst + engines,
                 "a mapping has no more engines than the pass was given");
  ir::setAggregates(getOperation(), plan);
}

void Aggregation::setRing(ir::ChannelOp channel, std::optional<uint32_t> ring,
                          const Twine &reason) {
  ir::setVia(channel, ring ? ir::Via::Ring : ir::Via::Call);
  if (ring)
    ir::setNumber(channel, ir::ringAttrName, *ring);
  else
    channel->removeAttr(ir::ringAttrName);
  channel->setAttr(viaReasonAttrName,
                   StringAttr::get(channel.getContext(), reason));
  ir::explain(channel, explainName)
      << "channel " << channel.getSymName() << " is "
      << (!ring                       ? std::string("a call")
          : target::isSramRing(*ring) ? "SRAM ring " + std::to_string(*ring)
                                      : "ring " + std::to_string(*ring))
      << (!ring
              ? std::string()
              : " of " +
                    std::to_string(target::isSramRing(*ring)
                                       ? target::SramRingWords
                                       : target::scratchRing(
                                             *ring, ir::chipOf(getOperation()))
                                             .words) +
                    " words")
      << ": " << reason.str();
}

bool Aggregation::wantsSram(StringRef aggregate) const {
  for (const MappedAggregate &mapped : file.aggregates)
    if (mapped.name == aggregate)
      return mapped.takesSramRing;
  return false;
}

/// Gives rings to channels. Rings of cycles come first, so that they have the
/// lowest numbers and are polled first. Then come those that the XScale core
/// puts on, which must be scratch rings, then all others.
LogicalResult Aggregation::writeRings(const PpfGraph &graph) {
  enum Phase { Cycles, FromXScale, Others };
  std::vector<int> component = graph.components();
  RingAllocator rings(ir::chipOf(getOperation()));
  bool isExhausted = false;
  auto ringOf = [&](StringRef aggregate, RingUse use, bool wantsSram = false) {
    std::optional<uint32_t> ring = rings.ringOf(aggregate, use, wantsSram);
    isExhausted |= !ring;
    return ring.value_or(0); // refused below
  };
  std::string fromXScale; // the aggregate that takes RingFromXScale
  auto crossCores = [&](ir::ChannelOp channel, StringRef there) {
    if (fromXScale.empty())
      fromXScale = there.str();
    uint32_t ring = fromXScale == there ? uint32_t(target::RingFromXScale)
                                        : ringOf(there, RingUse::Input);
    // The core cannot put on an SRAM ring.
    isExhausted |= target::isSramRing(ring);
    setRing(channel, ring, "crosses from one core to the other");
  };
  auto walk = [&](Phase phase) {
    for (const PpfEdge &edge : graph.edges) {
      func::FuncOp from = graph.ppfs[edge.from], to = graph.ppfs[edge.to];
      if (ir::coreOf(to) != ir::Core::Me)
        continue;
      StringRef there = ir::aggregateOf(to);
      bool crossesCores = ir::coreOf(from) != ir::Core::Me;
      bool isCycle = !crossesCores && ir::aggregateOf(from) == there &&
                     component[edge.from] == component[edge.to];
      if (phase != (isCycle ? Cycles : crossesCores ? FromXScale : Others))
        continue;
      if (isCycle) {
        setRing(edge.channel, ringOf(there, RingUse::Cycle),
                "lies on a cycle of the PPF graph");
      } else if (crossesCores) {
        crossCores(edge.channel, there);
      } else if (ir::aggregateOf(from) == there) {
        setRing(edge.channel, std::nullopt, "inside one aggregate");
      } else {
        setRing(edge.channel, ringOf(there, RingUse::Input, wantsSram(there)),
                "leads from aggregate " + ir::aggregateOf(from) + " to " +
                    there);
      }
    }
  };
  walk(Cycles);
  walk(FromXScale);
  for (ir::ChannelOp channel : graph.fromControl) {
    auto to = getOperation().lookupSymbol<func::FuncOp>(channel.getConsumer());
    if (ir::coreOf(to) == ir::Core::Me)
      crossCores(channel, ir::aggregateOf(to));
  }
  walk(Others);
  if (isExhausted)
    return getOperation().emitError()
           << "the mapping needs more rings between engines than there are "
              "[E-aggregation-007]";
  for (const PpfEdge &edge : graph.edges)
    KARAKAL_ASSERT(ir::viaOf(edge.channel) != ir::Via::Ring ||
                       ir::numberOf(edge.channel, ir::ringAttrName),
                   "a channel that is a ring has a number");
  return mlir::success();
}

void Aggregation::runOnOperation() {
  uint32_t enginesMax = target::appEngineCount(ir::chipOf(getOperation()));
  if (engines == 0)
    engines = enginesMax;
  if (engines > enginesMax) {
    getOperation().emitError()
        << "baker-aggregation: engines must lie between 1 and " << enginesMax;
    return signalPassFailure();
  }
  onEngines.clear();
  indexOf.clear();
  PpfGraph graph(getOperation());
  if (failed(readMapping()) || failed(findPins(graph)))
    return signalPassFailure();
  FormationInput input = inputOf(graph);
  Formation formed = formAggregates(input);
  explainSteps(formed);
  if (!formed.failure.empty()) {
    getOperation()->setAttr(noMappingAttrName, UnitAttr::get(&getContext()));
    reportNoMapping(graph, input, formed);
    return signalPassFailure();
  }
  write(graph, input, formed);
  if (failed(writeRings(graph)))
    return signalPassFailure();
  if (!formed.aggregates.empty()) {
    double words = 0;
    for (const FormedAggregate &aggregate : formed.aggregates)
      words += aggregate.words;
    Builder builder(&getContext());
    SmallVector<NamedAttribute> loads;
    for (SharedUnit unit : target::unitsOf(input.chip))
      loads.push_back(builder.getNamedAttr(
          target::sharedUnitName(unit),
          builder.getF64FloatAttr(
              formed.prediction.unitUtilization[size_t(unit)])));
    getOperation()->setAttr(
        predictionAttrName,
        builder.getDictionaryAttr(
            {builder.getNamedAttr(
                 "packets_per_s",
                 builder.getF64FloatAttr(formed.prediction.packetsPerSecond)),
             builder.getNamedAttr("unit_loads",
                                  builder.getDictionaryAttr(loads)),
             builder.getNamedAttr("words", builder.getF64FloatAttr(words)),
             builder.getNamedAttr(
                 "bottleneck",
                 builder.getStringAttr(formed.prediction.bottleneck))}));
  }
}

} // namespace

} // namespace karakal::agg
