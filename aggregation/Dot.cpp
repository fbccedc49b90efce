//===- Dot.cpp - the PPF graph as a picture -------------------------------===//

#include "aggregation/Dot.h"
#include "aggregation/PpfGraph.h"
#include "ir/Profile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::agg {

namespace {

/// Graphviz's scheme "set3", one colour an aggregate.
constexpr const char *colours[] = {"#8dd3c7", "#ffffb3", "#bebada",
                                   "#fb8072", "#80b1d3", "#fdb462"};
constexpr const char *xscaleColour = "#d9d9d9";
/// Width of a channel that carries every packet, in points.
constexpr double widthMax = 5;

std::string colourOf(func::FuncOp ppf, ModuleOp planned) {
  auto plans = ir::aggregatesOf(planned);
  for (size_t i = 0; i < plans.size(); ++i)
    if (plans[i].name == ir::aggregateOf(ppf))
      return colours[i % std::size(colours)];
  return xscaleColour;
}

/// "l3_switch.l2_clsfr": the endpoint, nearly always in_cc, stands in the
/// tooltip.
std::string labelOf(func::FuncOp ppf, ModuleOp planned) {
  std::string text = ppf.getSymName().rsplit('.').first.str();
  if (ir::coreOf(ppf) == ir::Core::XScale)
    return text + "\\nXScale core";
  for (const ir::AggregatePlan &plan : ir::aggregatesOf(planned))
    if (plan.name == ir::aggregateOf(ppf))
      text += "\\n" + plan.name + ", " + std::to_string(plan.engines.size()) +
              (plan.engines.size() == 1 ? " engine" : " engines");
  return text;
}

/// The share of the packets received, as a reader takes it in: "100 %", "0.3
/// %".
std::string shareText(double share) {
  double percent = 100 * share;
  if (percent < 0.1)
    return "<0.1 %";
  return percent < 9.95 ? llvm::formatv("{0:f1} %", percent).str()
                        : llvm::formatv("{0:f0} %", percent).str();
}

void printEdge(llvm::raw_ostream &out, StringRef from, StringRef to,
               ir::ChannelOp channel, double received) {
  std::optional<uint64_t> packets = ir::profileOf(channel);
  double share = packets && received != 0 ? double(*packets) / received : 0.2;
  out << llvm::formatv("  \"{0}\" -> \"{1}\" [penwidth={2:f2}", from, to,
                       std::max(0.3, widthMax * share));
  if (packets && *packets != 0)
    out << llvm::formatv(", label=\"{0}\"", shareText(share));
  if (packets && *packets == 0)
    out << ", color=gray60";
  if (ir::viaOf(channel) == ir::Via::Ring)
    out << ", style=dashed";
  out << "];\n";
}

} // namespace

std::string printDot(ModuleOp planned) {
  std::string text;
  llvm::raw_string_ostream out(text);
  PpfGraph graph(planned);
  auto profile = ir::profileOf(planned);
  double received = profile ? double(profile->received) : 0;
  out << "digraph \"" << planned.getName().value_or("program")
      << "\" {\n  rankdir=LR;\n  nodesep=0.15;\n"
         "  node [shape=box, style=\"filled,rounded\", "
         "fontname=\"sans-serif\", "
         "fontsize=11, margin=\"0.1,0.04\", height=0.3];\n"
         "  edge [fontname=\"sans-serif\", fontsize=9, arrowsize=0.6];\n"
         "  \"rx\" [shape=plain, style=\"\"];\n"
         "  \"tx\" [shape=plain, style=\"\"];\n";
  for (func::FuncOp ppf : graph.ppfs)
    out << llvm::formatv("  \"{0}\" [label=\"{1}\", tooltip=\"{0}\", "
                         "fillcolor=\"{2}\"];\n",
                         ppf.getSymName(), labelOf(ppf, planned),
                         colourOf(ppf, planned));
  for (auto channel : planned.getOps<ir::ChannelOp>())
    if (channel.comesFromRx())
      printEdge(out, "rx", channel.getConsumer(), channel, received);
  for (const PpfEdge &edge : graph.edges)
    printEdge(out, graph.ppfs[edge.from].getSymName(),
              graph.ppfs[edge.to].getSymName(), edge.channel, received);
  for (auto channel : planned.getOps<ir::ChannelOp>()) {
    if (!channel.goesToTx() || channel.comesFromRx())
      continue;
    for (func::FuncOp ppf : graph.ppfs)
      if (ppf.getSymName().rsplit('.').first == channel.getProducer())
        printEdge(out, ppf.getSymName(), "tx", channel, received);
  }
  out << "}\n";
  return text;
}

} // namespace karakal::agg
