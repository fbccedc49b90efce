// Why control functions refuse calls, in the words of the program.
//
// `refusal("…")` gives a number from FirstRefusal (support/Refusal.h) on; the
// module lists the texts in the order of their numbers (`baker.refusals`).

#ifndef KARAKAL_IR_DIALECT_REFUSALS_H
#define KARAKAL_IR_DIALECT_REFUSALS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace karakal::ir {

inline constexpr llvm::StringLiteral refusalsAttrName = "baker.refusals";

/// The texts of a program; empty without the attribute.
std::vector<std::string> refusalsOf(mlir::ModuleOp module);
/// Sets the texts; without any there is no attribute.
void setRefusals(mlir::ModuleOp module, const std::vector<std::string> &texts);

/// Verifies that `value` is a list of texts.
mlir::LogicalResult verifyRefusals(mlir::Operation *op, mlir::Attribute value);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_REFUSALS_H
