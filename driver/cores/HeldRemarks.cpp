// Remarks of plans that may be dropped.

#include "driver/cores/HeldRemarks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace karakal::driver {

HeldRemarks::HeldRemarks(MLIRContext *context) : context(context) {
  handler.emplace(context, [this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      return failure(); // for the next handler
    held.push_back(std::move(diagnostic));
    return success();
  });
}

void HeldRemarks::report() {
  handler.reset();
  for (Diagnostic &diagnostic : take())
    context->getDiagEngine().emit(std::move(diagnostic));
}

void sayOnce(MLIRContext *context, Remarks remarks) {
  llvm::DenseMap<Location, llvm::StringSet<>> said;
  for (Diagnostic &diagnostic : remarks)
    if (said[diagnostic.getLocation()].insert(diagnostic.str()).second)
      context->getDiagEngine().emit(std::move(diagnostic));
}

} // namespace karakal::driver
