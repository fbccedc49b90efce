// Why a pass did or did not do something.
//
// A pass says the reason of each decision and of each refusal where it makes
// it:
//
//   ir::explain(read, "pac") << "not combined with the read of \"ttl\": a "
//                               "write of the same bytes lies between";
//
// Nothing is built and nothing is printed unless the pass has been asked for
// (`bakerc --explain=pac`, `baker-opt --explain=pac`, `bakerc --report=FILE`).
// Then the text becomes an MLIR remark at the operation's location, `file:line:
// column: remark: [pac] not combined …`, as clang's -Rpass prints them.

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

/// The name that asks for every pass.
inline constexpr llvm::StringLiteral explainAll = "all";

/// From now on the passes `names` (without "baker-"; `all` is every pass) are
/// explained in `context`. Set it before passes run: they read it in parallel.
void askForExplanations(mlir::MLIRContext &context,
                        llvm::ArrayRef<std::string> names);

/// Whether the explanations of `pass` are wanted. Ask it only where making the
/// text costs more than `explain` itself.
bool isExplained(mlir::MLIRContext *context, llvm::StringRef pass);

/// A remark of `pass` about `op`, or one that ignores what is streamed to it.
mlir::InFlightDiagnostic explain(mlir::Operation *op, llvm::StringRef pass);

/// One explanation as a consumer of diagnostics finds it.
struct Explanation {
  llvm::StringRef pass;
  /// Without the pass and without notes.
  std::string text;
};

/// `diagnostic` as an explanation, if it is one.
std::optional<Explanation> explanationOf(mlir::Diagnostic &diagnostic);

} // namespace karakal::ir

#endif // KARAKAL_IR_ANALYSIS_EXPLAIN_H
