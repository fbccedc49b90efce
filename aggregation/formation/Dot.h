// The PPF graph as a drawing.

#ifndef KARAKAL_AGGREGATION_FORMATION_DOT_H
#define KARAKAL_AGGREGATION_FORMATION_DOT_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace karakal::agg {

/// Returns the graph of a planned program for Graphviz. Nodes are the PPFs,
/// coloured by aggregate (grey: XScale core), and Rx and Tx. Each channel is an
/// arrow, as wide as its share of the packets, dashed if it is a ring.
std::string printDot(mlir::ModuleOp planned);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_DOT_H
