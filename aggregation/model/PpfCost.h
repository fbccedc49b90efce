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

/// Executions of each block per execution of the function.
llvm::DenseMap<mlir::Block *, double>
blockFrequencies(mlir::func::FuncOp function);

/// The number of locks held where each block begins.
llvm::DenseMap<mlir::Block *, int> locksHeld(mlir::func::FuncOp function);

/// Computes costs of the functions of one program, each once.
class PpfCosts {
public:
  PpfCosts(mlir::ModuleOp program, const target::ChipParameters &chip)
      : program(program), chip(chip) {}

  PpfCost of(mlir::func::FuncOp function);
  /// Words of code of an operation, with those of the function that it calls.
  double wordsOf(mlir::Operation *op);

  /// The part of the time for which the program's PPFs hold locks that belongs
  /// to the busiest lock. Other locks, and the elements of an array, are held
  /// at the same time. 1 without locks.
  double busiestLockShare();

private:
  MessageCost costOf(mlir::Operation *op);

  mlir::ModuleOp program;
  const target::ChipParameters &chip;
  llvm::DenseMap<mlir::Operation *, PpfCost> done;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_PPFCOST_H
