// What a PPF costs before code exists.
//
// Cost of one packet in a PPF, by the estimates of ir/analysis/OperationCost.h,
// the profile's branch frequencies (equal shares without a profile) and the
// chip's figures; with all functions that it calls, without its channels.

#ifndef KARAKAL_AGGREGATION_MODEL_PPFCOST_H
#define KARAKAL_AGGREGATION_MODEL_PPFCOST_H

#include "aggregation/model/ThroughputModel.h"
#include "ir/dialect/Attributes.h"
#include "llvm/ADT/MapVector.h"

namespace karakal::agg {

struct PpfCost {
  MessageCost cost; ///< one packet
  double words = 0;
  /// Cycles in which it holds each of the locks of a global, by global.
  llvm::MapVector<mlir::Operation *, double> held;
};

/// Executions of each block for one of the function.
llvm::DenseMap<mlir::Block *, double>
blockFrequencies(mlir::func::FuncOp function);

/// Locks that are held where each block begins.
llvm::DenseMap<mlir::Block *, int> locksHeld(mlir::func::FuncOp function);

/// Computes costs of the functions of one program, each once.
class PpfCosts {
public:
  PpfCosts(mlir::ModuleOp program, const target::ChipParameters &chip)
      : program(program), chip(chip) {}

  PpfCost of(mlir::func::FuncOp function);
  /// Words of code of an operation, with those of a function that it calls.
  double wordsOf(mlir::Operation *op);

  /// Of the time for which the program's PPFs hold locks, the part for which
  /// they hold the busiest: others, and the elements of an array, are held side
  /// by side.
  double busiestLockShare();

private:
  MessageCost costOf(mlir::Operation *op);

  mlir::ModuleOp program;
  const target::ChipParameters &chip;
  llvm::DenseMap<mlir::Operation *, PpfCost> done;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_PPFCOST_H
