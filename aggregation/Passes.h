// Passes that form aggregates.

#ifndef KARAKAL_AGGREGATION_PASSES_H
#define KARAKAL_AGGREGATION_PASSES_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace karakal::agg {

/// Why a PPF runs where it runs, for the report.
inline constexpr llvm::StringLiteral coreReasonAttrName = "baker.core.reason";
/// Why a channel is a ring or a call, for the report.
inline constexpr llvm::StringLiteral viaReasonAttrName = "baker.via.reason";

/// What aggregation did, for the report: a list of
/// #baker.formation_step<...>.
inline constexpr llvm::StringLiteral stepsAttrName = "baker.aggregates.steps";
/// What the estimate promises: {packets_per_s, bottleneck, words, unit_loads}.
inline constexpr llvm::StringLiteral predictionAttrName =
    "baker.aggregates.prediction";

/// On a module that baker-aggregation refused because no mapping fits.
inline constexpr llvm::StringLiteral noMappingAttrName =
    "baker.aggregates.none";

#define GEN_PASS_DECL
#include "aggregation/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "aggregation/Passes.h.inc"

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_PASSES_H
