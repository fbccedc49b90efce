// Inserts the commands of a plan.

#ifndef KARAKAL_PASSES_PAC_PACREWRITE_H
#define KARAKAL_PASSES_PAC_PACREWRITE_H

#include "passes/pac/PacPlan.h"

namespace karakal::passes::pac {

/// The words of an anchor as stack slots, which mem2reg turns into values.
class Slots {
public:
  Slots(const Anchor &anchor, mlir::func::FuncOp function);

  /// Reads `width` (1 to 32) bits from bit `bit` of the anchor, as i32.
  mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc, int32_t bit,
                   unsigned width);
  /// Writes `width` (1 to 32) bits from the low bits of `value`, an i32 whose
  /// other bits are zero.
  void write(mlir::OpBuilder &builder, mlir::Location loc, int32_t bit,
             unsigned width, mlir::Value value);

  mlir::ArrayRef<mlir::Operation *> allocations() const { return all; }

private:
  mlir::Value slot(int32_t word);

  const Anchor &anchor;
  mlir::func::FuncOp function;
  int32_t gridBit;
  llvm::DenseMap<int32_t, mlir::Value> slots;
  std::vector<mlir::Operation *> all;
};

/// Inserts the loads and stores of `plan` and replaces the accesses of
/// `anchor`.
void rewrite(const Anchor &anchor, const Plan &plan, Slots &slots);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACREWRITE_H
