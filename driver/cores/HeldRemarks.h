// Remarks of plans that may be dropped.
//
// What passes explain (ir/analysis/Explain.h) is true of the plan at hand. The
// driver makes several and takes one, so it holds the remarks of each until it
// knows which.

#ifndef KARAKAL_DRIVER_CORES_HELDREMARKS_H
#define KARAKAL_DRIVER_CORES_HELDREMARKS_H

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <utility>
#include <vector>

namespace karakal::driver {

using Remarks = std::vector<mlir::Diagnostic>;

/// Holds the remarks of its lifetime. Those that nobody takes are dropped.
class HeldRemarks {
public:
  explicit HeldRemarks(mlir::MLIRContext *context);

  /// The remarks so far, which are held no more.
  Remarks take() { return std::exchange(held, {}); }
  /// Says the remarks so far, and holds no more.
  void report();

private:
  mlir::MLIRContext *context;
  Remarks held;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

/// Says remarks in order.
void say(mlir::MLIRContext *context, Remarks remarks);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_HELDREMARKS_H
