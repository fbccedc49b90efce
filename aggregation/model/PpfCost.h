// The estimated cost of a PPF, before code exists.
//
// The cost of one packet in a PPF with all functions that it calls, without its
// channels. It follows from the estimates of ir/analysis/OperationCost.h, the
// profile's branch frequencies (equal shares without a profile) and the chip's
// figures.

#ifndef KARAKAL_AGGREGATION_MODEL_PPFCOST_H
#define KARAKAL_AGGREGATION_MODEL_PPFCOST_H

#include "aggregation/model/ThroughputModel.h"
#include "ir/dialect/Attributes.h"
#include "llvm/ADT/MapVector.h"

namespace karakal::agg {

struct PpfCost {
  MessageCost cost; ///< of one packet
  double words = 0; ///< of code
  /// Cycles for which each lock is held, by the lock's global. For an array of
  /// locks: for which one element is held on average.
  llvm::MapVector<mlir::Operation *, double> held;
};

/// Returns the executions of each block per execution of the function.
llvm::DenseMap<mlir::Block *, double>
blockFrequencies(mlir::func::FuncOp function);

/// Returns the number of locks held at the start of each block.
llvm::DenseMap<mlir::Block *, int> locksHeld(mlir::func::FuncOp function);

/// Computes costs of the functions of one program, each once.
class PpfCosts {
public:
  PpfCosts(mlir::ModuleOp program, const target::ChipParameters &chip)
      : program(program), chip(chip) {}

  PpfCost of(mlir::func::FuncOp function);
  /// Returns the words of code of an operation and of the function that it
  /// calls.
  double wordsOf(mlir::Operation *op);

  /// Returns the busiest lock's part of the time for which PPFs hold locks. The
  /// other locks, and other elements of an array of locks, can be held at the
  /// same time. 1 without locks.
  double busiestLockShare();

private:
  MessageCost costOf(mlir::Operation *op);

  mlir::ModuleOp program;
  const target::ChipParameters &chip;
  llvm::DenseMap<mlir::Operation *, PpfCost> done;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_PPFCOST_H
