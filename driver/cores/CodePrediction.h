// The predicted rate of generated code.
//
// Aggregation predicts from estimates of the IR (aggregation/model/PpfCost.h).
// These functions apply the same throughput model to the costs of microcode.

#ifndef KARAKAL_DRIVER_CORES_CODEPREDICTION_H
#define KARAKAL_DRIVER_CORES_CODEPREDICTION_H

#include "aggregation/model/ThroughputModel.h"
#include "driver/cores/EngineCode.h"

namespace karakal::driver {

/// Returns the stages of the generated code, for the throughput model. A stage
/// takes the messages that the profile counted, or one per packet without a
/// profile.
std::vector<agg::Stage> stagesOf(mlir::ModuleOp planned,
                                 const std::vector<AggregateCode> &engines);

/// The smallest frames, in the order that the program keeps.
agg::Frames framesOf(mlir::ModuleOp planned);

/// Predicts the rate of these stages.
agg::Prediction predictionOf(mlir::ModuleOp planned,
                             const std::vector<AggregateCode> &engines);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_CODEPREDICTION_H
