// The stages that a set of cuts makes of a batch's function.

#ifndef KARAKAL_CODEGEN_X86_BATCH_STAGEPLAN_H
#define KARAKAL_CODEGEN_X86_BATCH_STAGEPLAN_H

#include "codegen-x86/batch/Effects.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <string>
#include <vector>

namespace karakal::x86 {

/// Decides which of the asked cuts are made, the order of their stages, and
/// which operations belong to the last stage.
///
/// A stage begins at the entry or at a cut and ends where its packet comes to a
/// cut. What packets share must lie in one stage that runs once. A resource
/// that does not is ordered: each operation that touches it begins the last
/// stage, where packets run to their end. That takes code out of other stages,
/// so it is repeated until nothing changes.
class StagePlan {
public:
  StagePlan(mlir::func::FuncOp batch, Effects &effects,
            llvm::ArrayRef<mlir::Operation *> asked);

  /// The cuts in the order of their stages, from stage 1. A stage with a way
  /// back to an earlier one follows it without stages of other loops between.
  const std::vector<mlir::Operation *> &cuts() const { return order; }
  /// The operations that begin the last stage, in the order of the text.
  const std::vector<mlir::Operation *> &last() const { return lastOps; }
  /// Why an asked cut is not made; empty: it is.
  std::string whyNot(mlir::Operation *load);
  /// Why a resource is ordered.
  const std::map<unsigned, std::string> &ordered() const { return reasons; }

private:
  struct Stage {
    Resources touched;
    /// Indices in `asked`.
    std::set<unsigned> next;
  };

  /// Finds what the stage from `start` does.
  Stage scan(mlir::Block::iterator start, bool isCut);
  void scanAll();
  bool orderMore();
  bool touchesOrdered(const Resources &resources) const;
  void sortStages();

  mlir::func::FuncOp batch;
  llvm::MapVector<mlir::Operation *, unsigned> asked;
  llvm::DenseMap<mlir::Operation *, Resources> touches;
  std::map<unsigned, std::string> reasons;
  Effects &effects;
  Stage first;
  std::map<unsigned, Stage> stages;
  /// reach[s] holds the stages that can follow s.
  std::map<unsigned, std::set<unsigned>> reach;
  std::vector<mlir::Operation *> order, lastOps;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_BATCH_STAGEPLAN_H
