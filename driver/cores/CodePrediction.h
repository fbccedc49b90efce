// What the throughput model predicts of generated code.
//
// Aggregation predicts from estimates of the IR (aggregation/model/PpfCost.h).
// Here the same model takes the cost of each aggregate from its microcode.

#ifndef KARAKAL_DRIVER_CORES_CODEPREDICTION_H
#define KARAKAL_DRIVER_CORES_CODEPREDICTION_H

#include "aggregation/model/ThroughputModel.h"
#include "driver/cores/EngineCode.h"

namespace karakal::driver {

/// The stages of the generated code, for the throughput model. A stage takes
/// the messages that the profile counted, or one a packet without a profile.
std::vector<agg::Stage> stagesOf(mlir::ModuleOp planned,
                                 const std::vector<AggregateCode> &engines);

/// The rate that the model predicts for these stages.
agg::Prediction predictionOf(mlir::ModuleOp planned,
                             const std::vector<AggregateCode> &engines);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_CODEPREDICTION_H
