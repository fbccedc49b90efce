// Attributes of a module: the chip that it is compiled for, the multiplier of
// its hashes, and the words of refused control calls.
//
// The attribute `baker.target` of a module names a chip as target::parseChip
// takes it: a configuration, then settings. The passes read the chip's figures
// here, so a module tells all that a pass needs.
//
//   module attributes {baker.target = "ixp2800 sram.size=8388608"} { … }

#ifndef KARAKAL_IR_DIALECT_TARGET_H
#define KARAKAL_IR_DIALECT_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "target-ixp/table/HashFunction.h"

#include <optional>
#include <string>
#include <vector>

namespace karakal::target {
struct ChipParameters;
}

namespace karakal::ir {

inline constexpr llvm::StringLiteral targetAttrName = "baker.target";
/// The chip of a module that names none.
inline constexpr llvm::StringLiteral defaultTargetName = "ixp2400";

/// The description of the chip that the module of `op` is compiled for.
llvm::StringRef targetOf(mlir::Operation *op);
/// Its figures.
target::ChipParameters chipOf(mlir::Operation *op);
/// Returns the bytes of a channel of SRAM of that chip.
uint64_t sramBytesOf(mlir::Operation *op);
void setTarget(mlir::ModuleOp module, llvm::StringRef description);

/// Reports an error if `attribute` names no chip, or one that programs cannot
/// be compiled for.
mlir::LogicalResult verifyTarget(mlir::Operation *op,
                                 mlir::Attribute attribute);

/// The multiplier of the hash unit, 32 hexadecimal digits, if it is not
/// target::HashMultiplier.
inline constexpr llvm::StringLiteral hashMultiplierAttrName =
    "baker.hash_multiplier";

/// The multiplier of the module of `op` if it has one of its own.
std::optional<target::HashKey> ownHashMultiplierOf(mlir::Operation *op);
/// The multiplier of the module of `op`.
inline target::HashKey hashMultiplierOf(mlir::Operation *op) {
  return ownHashMultiplierOf(op).value_or(target::HashMultiplier);
}
void setHashMultiplier(mlir::ModuleOp module, target::HashKey multiplier);

/// Verifies that `value` is a multiplier under which keys of all widths have
/// hashes of their own.
mlir::LogicalResult verifyHashMultiplier(mlir::Operation *op,
                                         mlir::Attribute value);

/// The texts of `refusal("…")`, in the order of their numbers, which begin at
/// FirstRefusal (support/Refusal.h).
inline constexpr llvm::StringLiteral refusalsAttrName = "baker.refusals";

/// The texts of a program; empty without the attribute.
std::vector<std::string> refusalsOf(mlir::ModuleOp module);
/// Sets the texts; without any there is no attribute.
void setRefusals(mlir::ModuleOp module, const std::vector<std::string> &texts);

/// Verifies that `value` is a list of texts.
mlir::LogicalResult verifyRefusals(mlir::Operation *op, mlir::Attribute value);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_TARGET_H
