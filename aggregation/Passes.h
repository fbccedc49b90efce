// Passes that form aggregates.

#ifndef KARAKAL_AGGREGATION_PASSES_H
#define KARAKAL_AGGREGATION_PASSES_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace karakal::agg {

/// The reason for a PPF's core, for the report.
inline constexpr llvm::StringLiteral coreReasonAttrName = "baker.core.reason";
/// The reason why a channel is a ring or a call, for the report.
inline constexpr llvm::StringLiteral viaReasonAttrName = "baker.via.reason";

/// The steps of aggregation, for the report: a list of
/// #baker.formation_step<...>.
inline constexpr llvm::StringLiteral stepsAttrName = "baker.aggregates.steps";
/// The prediction from the estimates: {packets_per_s, bottleneck, words,
/// unit_loads}.
inline constexpr llvm::StringLiteral predictionAttrName =
    "baker.aggregates.prediction";

/// Set on a module that baker-aggregation rejected because no mapping fits.
inline constexpr llvm::StringLiteral noMappingAttrName =
    "baker.aggregates.none";

#define GEN_PASS_DECL
#include "aggregation/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "aggregation/Passes.h.inc"

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_PASSES_H
