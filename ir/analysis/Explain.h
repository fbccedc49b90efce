// Explanations of what passes did and did not do.
//
// A pass gives the reason for each decision and each refusal at the point in
// the code where it makes it:
//
//   ir::explain(read, "pac") << "not combined with the read of \"ttl\": a "
//                               "write of the same bytes lies between";
//
// The text is built and printed only if the pass is selected (`bakerc
// --explain=pac`, `baker-opt --explain=pac`, `bakerc --report=FILE`). It then
// becomes an MLIR remark at the operation's location, `file:line:column:
// remark: [pac] not combined …`, in the format of clang's -Rpass.

#ifndef KARAKAL_IR_ANALYSIS_EXPLAIN_H
#define KARAKAL_IR_ANALYSIS_EXPLAIN_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class MLIRContext;
class Operation;
} // namespace mlir

namespace karakal::ir {

/// The name that selects every pass.
inline constexpr llvm::StringLiteral explainAll = "all";

/// Selects the passes `names` (without "baker-"; `all` is every pass) for
/// explanation in `context`. Call it before passes run, because they read the
/// selection in parallel.
void askForExplanations(mlir::MLIRContext &context,
                        llvm::ArrayRef<std::string> names);

/// Whether `pass` is selected. Call it only to avoid building an expensive
/// text; `explain` checks by itself.
bool isExplained(mlir::MLIRContext *context, llvm::StringRef pass);

/// Returns a remark of `pass` about `op`. If `pass` is not selected, the remark
/// ignores what is streamed to it.
mlir::InFlightDiagnostic explain(mlir::Operation *op, llvm::StringRef pass);

/// An explanation as a diagnostic handler receives it.
struct Explanation {
  llvm::StringRef pass;
  /// The text without the pass and without notes.
  std::string text;
};

/// Returns `diagnostic` as an explanation, if it is one.
std::optional<Explanation> explanationOf(mlir::Diagnostic &diagnostic);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_EXPLAIN_H
