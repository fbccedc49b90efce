// The PPFs of a program and their channels.
//
// The graph of the paper's Figure 1: a vertex for each PPF, an edge for each
// channel between two PPFs. Rx and Tx are not part of it.

#ifndef KARAKAL_AGGREGATION_FORMATION_PPFGRAPH_H
#define KARAKAL_AGGREGATION_FORMATION_PPFGRAPH_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace karakal::agg {

/// A channel from one PPF body to another.
struct PpfEdge {
  ir::ChannelOp channel;
  size_t from, to; ///< indices into PpfGraph::ppfs
};

struct PpfGraph {
  std::vector<mlir::func::FuncOp> ppfs;
  std::vector<PpfEdge> edges;
  /// PPFs that receive packets from Rx or from control functions.
  std::vector<mlir::func::FuncOp> fed;
  /// The channels to PPFs that control functions put on, which run on the core.
  std::vector<ir::ChannelOp> fromControl;

  /// Makes the graph of a program. An edge starts at each PPF body that puts
  /// packets on the channel, itself or in a function that it calls.
  explicit PpfGraph(mlir::ModuleOp module);

  /// Returns the indices of the PPFs that a packet from Rx or a control
  /// function can reach.
  std::vector<size_t> reachable() const;
  /// Returns the strongly connected component of each PPF.
  std::vector<int> components() const;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_PPFGRAPH_H
