// Variants of an aggregate's code.

#include "driver/cores/Variants.h"
#include "aggregation/formation/PpfGraph.h"
#include "swcache/Caches.h"
#include "target-ixp/chip/Rings.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// Returns the channels that bring aggregate `to` its messages if all of them
/// come from aggregate `from` and none may refuse a packet, otherwise none.
/// Ignores channels on a cycle inside `to` and those from the XScale core,
/// which have rings of their own.
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
    // A put on a next-neighbour ring waits; it cannot drop the packet.
    if (!isOnEngine || ir::aggregateOf(producer) != from ||
        ir::refusalReason(channel))
      return {};
    channels.push_back(channel);
  }
  return channels;
}

/// Returns the variant of aggregate `index` with a next-neighbour ring, or null
/// if it does not exist.
const AggregateCode::Variant *
findVariant(const std::vector<AggregateCode> &engines, size_t index, bool takes,
            bool puts) {
  for (const AggregateCode::Variant &variant : engines[index].variants)
    if (variant.takes == takes && variant.puts == puts && !variant.isPlain)
      return &variant;
  return nullptr;
}

/// Whether aggregate `index` puts to the next one over a next-neighbour ring:
/// both ends need a variant. Like the loader, decides from the first aggregate
/// on.
bool isNextNeighbourLink(const std::vector<AggregateCode> &engines,
                         size_t index) {
  bool takes = false, puts = false;
  for (size_t i = 0; i <= index; ++i, takes = puts)
    puts = i + 1 < engines.size() && engines[i].plan.engines.size() == 1 &&
           engines[i + 1].plan.engines.size() == 1 &&
           findVariant(engines, i, takes, true) &&
           findVariant(engines, i + 1, true, false);
  return puts;
}

/// Gives channels the next-neighbour ring during the object's lifetime.
class ScopedNextNeighbourRings {
public:
  explicit ScopedNextNeighbourRings(llvm::ArrayRef<ir::ChannelOp> channels)
      : channels(channels) {
    for (ir::ChannelOp channel : channels) {
      std::optional<uint32_t> ring = ir::numberOf(channel, ir::ringAttrName);
      KARAKAL_ASSERT(ring, "a channel between aggregates has a ring");
      rings.push_back(*ring);
      ir::setNumber(channel, ir::ringAttrName, target::RingNeighbour);
    }
  }
  ScopedNextNeighbourRings(const ScopedNextNeighbourRings &) = delete;
  ~ScopedNextNeighbourRings() {
    for (size_t i = 0; i < rings.size(); ++i)
      ir::setNumber(channels[i], ir::ringAttrName, rings[i]);
  }

private:
  llvm::ArrayRef<ir::ChannelOp> channels;
  std::vector<uint32_t> rings;
};

/// Returns the options for the same code without caches.
Options withoutCaches(Options options) {
  for (const char *pass : {"make-lookup-caches", "make-caches"})
    options.pipeline.disabled.push_back(pass);
  return options;
}

/// Compiles a variant of `engine` while the planned program has its rings. With
/// an exchange of code also without caches. Nothing is added if one of them
/// does not fit; returns whether they do.
Result<bool> addVariant(ModuleOp planned, AggregateCode &engine,
                        const Options &options, bool takes, bool puts) {
  std::vector<AggregateCode::Variant> made;
  for (bool isPlain : {false, true}) {
    bool isAggregateItself = !takes && !puts && !isPlain;
    if (isAggregateItself || (isPlain && !swcache::exchangesCode(planned)))
      continue;
    auto code = compileEngine(planned, engine.plan.name,
                              isPlain ? withoutCaches(options) : options);
    if (code)
      made.push_back({takes, puts, std::move(*code), isPlain});
    else if (code.error().lacking == Resource::ControlStore)
      return false;
    else
      return code.error();
  }
  llvm::move(made, std::back_inserter(engine.variants));
  return true;
}

} // namespace

bool putsToNextNeighbour(const std::vector<AggregateCode> &engines,
                         size_t index) {
  return isNextNeighbourLink(engines, index);
}

bool takesFromNextNeighbour(const std::vector<AggregateCode> &engines,
                            size_t index) {
  return index > 0 && isNextNeighbourLink(engines, index - 1);
}

const target::Microcode &loadedCode(const std::vector<AggregateCode> &engines,
                                    size_t index) {
  const AggregateCode::Variant *variant =
      findVariant(engines, index, takesFromNextNeighbour(engines, index),
                  putsToNextNeighbour(engines, index));
  return variant ? variant->code : engines[index].code;
}

std::vector<AggregateCode>
plainCodeOf(const std::vector<AggregateCode> &engines) {
  std::vector<AggregateCode> plain;
  for (const AggregateCode &engine : engines) {
    AggregateCode made;
    made.plan = engine.plan;
    made.contexts = engine.contexts;
    for (const AggregateCode::Variant &variant : engine.variants) {
      if (!variant.isPlain)
        continue;
      if (variant.takes || variant.puts)
        made.variants.push_back({variant.takes, variant.puts, variant.code});
      else
        made.code = variant.code;
    }
    if (made.code.words.empty())
      return {};
    plain.push_back(std::move(made));
  }
  return plain;
}

Status addVariants(ModuleOp planned, std::vector<AggregateCode> &engines,
                   const Options &options) {
  size_t count = engines.size();
  agg::PpfGraph graph(planned);
  std::vector<SmallVector<ir::ChannelOp>> links(count);
  for (size_t i = 0; i + 1 < count; ++i)
    links[i] = linkOf(graph, engines[i].plan.name, engines[i + 1].plan.name);
  KARAKAL_ASSERT(links.empty() || links.back().empty(),
                 "the last aggregate has no next neighbour");
  SmallVector<ir::ChannelOp> none;
  for (size_t i = 0; i < count; ++i)
    for (bool takes : {false, true})
      for (bool puts : {false, true}) {
        SmallVector<ir::ChannelOp> &in = takes && i > 0 ? links[i - 1] : none;
        SmallVector<ir::ChannelOp> &out = puts ? links[i] : none;
        if (takes == in.empty() || puts == out.empty())
          continue;
        ScopedNextNeighbourRings inputs(in), outputs(out);
        auto fits = addVariant(planned, engines[i], options, takes, puts);
        if (!fits)
          return fits.error();
        if (!*fits && !takes && !puts)
          return makeError("E-driver-050",
                           "--updates=exchange: the code of '" +
                               engines[i].plan.name +
                               "' without caches does not fit the control "
                               "store of an engine; compile with "
                               "--updates=delayed");
      }
  return success();
}

} // namespace karakal::driver
