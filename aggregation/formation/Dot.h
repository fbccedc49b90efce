// The PPF graph as a picture.

#ifndef KARAKAL_AGGREGATION_FORMATION_DOT_H
#define KARAKAL_AGGREGATION_FORMATION_DOT_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace karakal::agg {

/// The graph of a planned program for Graphviz: a box for each PPF, coloured
/// by its aggregate (grey: XScale core), Rx and Tx; an arrow for each channel,
/// as wide as its share of the packets, dashed where it is a ring.
std::string printDot(mlir::ModuleOp planned);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_DOT_H
