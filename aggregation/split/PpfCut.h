// Where a PPF can be cut in two.
//
// A cut divides the operations of a PPF, in an order in which control passes
// them, into a first and a second part. It may lie anywhere that no loop and no
// critical section goes across, with one packet in use. What the second part
// needs of the first travels with the packet, in words of its descriptor; where
// several blocks of the second part are entered from the first, one more word
// says which.

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
  /// What it costs for a packet that enters the PPF: the share of packets that
  /// pass, times ring and words that travel.
  double cost = 0;
};

/// The cuts of `ppf` with at least `least` and at most `most` words of code
/// before them, that need at most `slotsMax` words of a descriptor; the
/// cheapest first. `wordsOf` gives an operation's words of code.
std::vector<PpfCut>
findCuts(mlir::func::FuncOp ppf, double least, double most, unsigned slotsMax,
         llvm::function_ref<double(mlir::Operation *)> wordsOf);

/// The words of a value in a descriptor; 0 if it cannot travel.
unsigned slotsOf(mlir::Type type);

/// Whether a value is made anew where it is needed instead of travelling.
bool isMadeAnew(mlir::Value value);

/// A block that returns and does nothing else.
bool isOnlyReturn(mlir::Block *block);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_SPLIT_PPFCUT_H
