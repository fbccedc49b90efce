// The PPF graph as a drawing.

#include "aggregation/formation/Dot.h"
#include "aggregation/formation/PpfGraph.h"
#include "ir/dialect/ProfileAttributes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::agg {

namespace {

/// Graphviz's scheme "set3", one colour for each aggregate.
constexpr const char *colours[] = {"#8dd3c7", "#ffffb3", "#bebada",
                                   "#fb8072", "#80b1d3", "#fdb462"};
constexpr const char *xscaleColour = "#ececec";
/// Width of a channel that carries every packet, in points, and its weight in
/// the layout.
constexpr double widthMax = 4, straightest = 50;

/// "l3_switch.l2_clsfr". The endpoint, nearly always in_cc, is in the tooltip.
void printPpf(llvm::raw_ostream &out, func::FuncOp ppf) {
  StringRef symbol = ppf.getSymName();
  out << llvm::formatv("    \"{0}\" [label=\"{1}\", tooltip=\"{0}\"];\n",
                       symbol, symbol.rsplit('.').first);
}

/// Draws a box around the PPFs that run together. Its label says where.
void printGroup(llvm::raw_ostream &out, const PpfGraph &graph, size_t number,
                StringRef label, StringRef colour,
                llvm::function_ref<bool(func::FuncOp)> isIn) {
  if (llvm::none_of(graph.ppfs, isIn))
    return;
  out << llvm::formatv("  subgraph \"cluster_{0}\" {\n    label=\"{1}\";\n"
                       "    style=\"filled,rounded\"; color=\"{2}\";\n",
                       number, label, colour);
  for (func::FuncOp ppf : graph.ppfs)
    if (isIn(ppf))
      printPpf(out, ppf);
  out << "  }\n";
}

void printGroups(llvm::raw_ostream &out, const PpfGraph &graph,
                 ModuleOp planned) {
  auto plans = ir::aggregatesOf(planned);
  for (size_t i = 0; i < plans.size(); ++i) {
    size_t engines = plans[i].engines.size();
    std::string label = plans[i].name + ", " + std::to_string(engines) +
                        (engines == 1 ? " engine" : " engines");
    printGroup(out, graph, i, label, colours[i % std::size(colours)],
               [&](func::FuncOp ppf) {
                 return ir::coreOf(ppf) == ir::Core::Me &&
                        ir::aggregateOf(ppf) == plans[i].name;
               });
  }
  printGroup(
      out, graph, plans.size(), "XScale core", xscaleColour,
      [](func::FuncOp ppf) { return ir::coreOf(ppf) == ir::Core::XScale; });
}

/// Prints a share of the packets received with few digits: "100 %", "0.3 %".
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
  if (packets && *packets != 0) // the busiest path is the straightest
    out << llvm::formatv(", label=\"{0}\", weight={1}", shareText(share),
                         1 + int(straightest * std::min(share, 1.0)));
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
      << "\" {\n  rankdir=LR;\n  nodesep=0.12;\n  ranksep=0.35;\n"
         "  fontname=\"sans-serif\"; fontsize=12;\n"
         "  node [shape=box, style=\"filled,rounded\", fillcolor=white, "
         "color=gray40, fontname=\"sans-serif\", fontsize=11, "
         "margin=\"0.1,0.04\", height=0.3];\n"
         "  edge [fontname=\"sans-serif\", fontsize=9, arrowsize=0.6];\n"
         "  \"rx\" [shape=circle, style=bold];\n"
         "  \"tx\" [shape=circle, style=bold];\n";
  printGroups(out, graph, planned);
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
