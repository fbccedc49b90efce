// The points at which a PPF can be cut in two.
//
// A cut divides the operations of a PPF, in control-flow order, into a first
// and a second part. It may lie anywhere outside of loops and critical sections
// where exactly one packet is live. The values of the first part that the
// second one needs cross with the packet, in words of its descriptor. If the
// first part enters several blocks of the second, one more word selects the
// block.

#ifndef KARAKAL_AGGREGATION_SPLIT_PPFCUT_H
#define KARAKAL_AGGREGATION_SPLIT_PPFCUT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace karakal::agg {

struct PpfCut {
  /// First operation of the second part.
  mlir::Operation *first = nullptr;
  /// Words of code before it.
  double words = 0;
  /// The cost per packet that enters the PPF: the share of packets that cross,
  /// times the cost of the ring and of the words that cross.
  double cost = 0;
};

/// Returns the cuts of `ppf`, the cheapest first, that have `least` to `most`
/// words of code before them and need at most `slotsMax` words of a descriptor.
/// `wordsOf` returns the words of code of an operation.
std::vector<PpfCut>
findCuts(mlir::func::FuncOp ppf, double least, double most, unsigned slotsMax,
         llvm::function_ref<double(mlir::Operation *)> wordsOf);

/// Returns the words of a value in a descriptor; 0 if it cannot cross a cut.
unsigned slotsOf(mlir::Type type);

/// Whether a value is created again in the second part instead of crossing.
bool isRecreated(mlir::Value value);

/// Whether a block returns and does nothing else.
bool isOnlyReturn(mlir::Block *block);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_SPLIT_PPFCUT_H
