// Remarks of plans that may be dropped.

#include "driver/cores/HeldRemarks.h"

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
  say(context, take());
}

void say(MLIRContext *context, Remarks remarks) {
  for (Diagnostic &diagnostic : remarks)
    context->getDiagEngine().emit(std::move(diagnostic));
}

} // namespace karakal::driver
