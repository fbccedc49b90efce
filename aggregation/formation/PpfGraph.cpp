// The PPFs of a program and their channels.

#include "aggregation/formation/PpfGraph.h"
#include "ir/dialect/Attributes.h"
#include "support/Error.h"
#include "llvm/ADT/SetVector.h"
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

using namespace mlir;

namespace karakal::agg {

namespace {

/// The channels that `ppf` puts on, itself or in functions that it calls.
llvm::SetVector<Operation *> channelsOf(func::FuncOp ppf,
                                        const SymbolTable &symbols) {
  llvm::SetVector<Operation *> functions, channels;
  functions.insert(ppf);
  for (size_t i = 0; i < functions.size(); ++i)
    functions[i]->walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        if (Operation *callee = symbols.lookup(call.getCallee()))
          functions.insert(callee);
      } else if (auto put = dyn_cast<ir::ChannelPutOp>(op)) {
        channels.insert(symbols.lookup(put.getChannel()));
      }
    });
  return channels;
}

} // namespace

PpfGraph::PpfGraph(ModuleOp module) {
  const SymbolTable symbols(module);
  llvm::DenseMap<Operation *, size_t> indices;
  for (auto function : module.getOps<func::FuncOp>())
    if (ir::isPpf(function)) {
      indices[function] = ppfs.size();
      ppfs.push_back(function);
    }
  for (auto channel : module.getOps<ir::ChannelOp>())
    if (channel.comesFromRx() && !channel.goesToTx())
      fed.push_back(symbols.lookup<func::FuncOp>(channel.getConsumer()));
  for (auto function : module.getOps<func::FuncOp>())
    if (ir::kindOf(function) == ir::FunctionKind::Control)
      for (Operation *op : channelsOf(function, symbols)) {
        auto channel = cast<ir::ChannelOp>(op);
        if (channel.goesToTx() || llvm::is_contained(fromControl, channel))
          continue;
        fromControl.push_back(channel);
        fed.push_back(symbols.lookup<func::FuncOp>(channel.getConsumer()));
      }
  for (size_t from = 0; from < ppfs.size(); ++from)
    for (Operation *op : channelsOf(ppfs[from], symbols)) {
      auto channel = cast<ir::ChannelOp>(op);
      if (channel.goesToTx())
        continue;
      Operation *consumer = symbols.lookup(channel.getConsumer());
      KARAKAL_ASSERT(indices.contains(consumer), "a PPF consumes a channel");
      edges.push_back({channel, from, indices.lookup(consumer)});
    }
}

std::vector<size_t> PpfGraph::reachable() const {
  llvm::SetVector<size_t> reached;
  for (size_t i = 0; i < ppfs.size(); ++i)
    if (llvm::is_contained(fed, ppfs[i]))
      reached.insert(i);
  for (size_t i = 0; i < reached.size(); ++i)
    for (const PpfEdge &edge : edges)
      if (edge.from == reached[i])
        reached.insert(edge.to);
  return {reached.begin(), reached.end()};
}

std::vector<int> PpfGraph::components() const {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(
      ppfs.size());
  for (const PpfEdge &edge : edges)
    boost::add_edge(edge.from, edge.to, graph);
  std::vector<int> component(ppfs.size());
  if (!component.empty())
    boost::strong_components(
        graph, boost::make_iterator_property_map(
                   component.begin(), boost::get(boost::vertex_index, graph)));
  return component;
}

} // namespace karakal::agg
