// Explanations of what passes did and did not do.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Baker.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace karakal::ir {

void askForExplanations(MLIRContext &context, ArrayRef<std::string> names) {
  auto *dialect = context.getOrLoadDialect<BakerDialect>();
  for (const std::string &name : names)
    dialect->explainedPasses.insert(name);
}

bool isExplained(MLIRContext *context, StringRef pass) {
  auto *dialect = context->getLoadedDialect<BakerDialect>();
  if (!dialect || dialect->explainedPasses.empty())
    return false;
  return dialect->explainedPasses.contains(pass) ||
         dialect->explainedPasses.contains(explainAll);
}

InFlightDiagnostic explain(Operation *op, StringRef pass) {
  InFlightDiagnostic remark = emitRemark(op->getLoc());
  // A default-constructed diagnostic asserts when it is streamed to.
  if (!isExplained(op->getContext(), pass)) {
    remark.abandon();
    return remark;
  }
  remark << "[" << pass << "] ";
  return remark;
}

std::optional<Explanation> explanationOf(Diagnostic &diagnostic) {
  auto arguments = diagnostic.getArguments();
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark ||
      arguments.size() < 3 ||
      arguments[0].getKind() !=
          DiagnosticArgument::DiagnosticArgumentKind::String ||
      arguments[0].getAsString() != "[")
    return std::nullopt;
  StringRef pass = arguments[1].getAsString();
  std::string text = diagnostic.str();
  return Explanation{pass, text.substr(pass.size() + 3)};
}

} // namespace karakal::ir
