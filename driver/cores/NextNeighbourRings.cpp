// Next-neighbour rings between aggregates.

#include "driver/cores/NextNeighbourRings.h"
#include "aggregation/formation/PpfGraph.h"
#include "target-ixp/chip/Rings.h"

using namespace mlir;

namespace karakal::driver {

namespace {

constexpr const char *doesNotFit = "E-codegen-me-020";

/// The channels that bring aggregate `to` its messages, if all of these come
/// from aggregate `from`; what lies on a cycle inside `to`, and what the XScale
/// core gives back, has rings of its own.
SmallVector<ir::ChannelOp> linkOf(const agg::PpfGraph &graph, StringRef from,
                                  StringRef to) {
  SmallVector<ir::ChannelOp> channels;
  for (const agg::PpfEdge &edge : graph.edges) {
    func::FuncOp producer = graph.ppfs[edge.from];
    ir::ChannelOp channel = edge.channel;
    if (ir::aggregateOf(graph.ppfs[edge.to]) != to ||
        ir::viaOf(channel) != ir::Via::Ring ||
        ir::numberOf(channel, ir::ringAttrName) == target::RingFromXScale)
      continue;
    bool isOnEngine = ir::coreOf(producer) == ir::Core::Me;
    if (isOnEngine && ir::aggregateOf(producer) == to)
      continue;
    if (!isOnEngine || ir::aggregateOf(producer) != from)
      return {};
    channels.push_back(channel);
  }
  return channels;
}

/// Whether the variant of aggregate `index` exists.
const AggregateCode::Variant *
findVariant(const std::vector<AggregateCode> &engines, size_t index, bool takes,
            bool puts) {
  for (const AggregateCode::Variant &variant : engines[index].variants)
    if (variant.takes == takes && variant.puts == puts)
      return &variant;
  return nullptr;
}

/// Whether the ring from `index` to the next aggregate is one of neighbours.
bool isNeighbourLink(const std::vector<AggregateCode> &engines, size_t index) {
  bool takes = false, puts = false;
  for (size_t i = 0; i <= index; ++i, takes = puts)
    puts = i + 1 < engines.size() && engines[i].plan.engines.size() == 1 &&
           engines[i + 1].plan.engines.size() == 1 &&
           findVariant(engines, i, takes, true) &&
           findVariant(engines, i + 1, true, false);
  return puts;
}

} // namespace

std::string variantName(const std::string &aggregate, bool takes, bool puts) {
  return aggregate + (takes ? ".takes" : "") + (puts ? ".puts" : "");
}

bool putsToNeighbour(const std::vector<AggregateCode> &engines, size_t index) {
  return isNeighbourLink(engines, index);
}

bool takesFromNeighbour(const std::vector<AggregateCode> &engines,
                        size_t index) {
  return index > 0 && isNeighbourLink(engines, index - 1);
}

const target::Microcode &loadedCode(const std::vector<AggregateCode> &engines,
                                    size_t index) {
  const AggregateCode::Variant *variant =
      findVariant(engines, index, takesFromNeighbour(engines, index),
                  putsToNeighbour(engines, index));
  return variant ? variant->code : engines[index].code;
}

Status addNeighbourVariants(PlannedProgram &made, const Options &options) {
  std::vector<AggregateCode> &engines = made.engines;
  size_t count = engines.size();
  agg::PpfGraph graph(*made.program);
  std::vector<SmallVector<ir::ChannelOp>> links(count);
  for (size_t i = 0; i + 1 < count; ++i)
    links[i] = linkOf(graph, engines[i].plan.name, engines[i + 1].plan.name);
  auto reroute = [](SmallVector<ir::ChannelOp> &link) {
    std::vector<uint32_t> before;
    for (ir::ChannelOp channel : link) {
      before.push_back(*ir::numberOf(channel, ir::ringAttrName));
      ir::setNumber(channel, ir::ringAttrName, target::RingNeighbour);
    }
    return before;
  };
  auto restore = [](SmallVector<ir::ChannelOp> &link,
                    const std::vector<uint32_t> &rings) {
    for (size_t i = 0; i < rings.size(); ++i)
      ir::setNumber(link[i], ir::ringAttrName, rings[i]);
  };
  SmallVector<ir::ChannelOp> none;
  for (size_t i = 0; i < count; ++i)
    for (bool takes : {false, true})
      for (bool puts : {false, true}) {
        SmallVector<ir::ChannelOp> &in = takes && i > 0 ? links[i - 1] : none;
        SmallVector<ir::ChannelOp> &out = puts ? links[i] : none;
        if (takes == in.empty() || puts == out.empty() || !(takes || puts))
          continue;
        auto inRings = reroute(in), outRings = reroute(out);
        auto code = compileEngine(*made.program, engines[i].plan.name, options);
        restore(in, inRings);
        restore(out, outRings);
        if (code)
          engines[i].variants.push_back({takes, puts, std::move(*code)});
        else if (code.error().id != doesNotFit)
          return code.error();
      }
  return success();
}

} // namespace karakal::driver
