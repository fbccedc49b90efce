// The engines of aggregates, assigned by the cost of the generated code.

#ifndef KARAKAL_DRIVER_CORES_ENGINEASSIGNMENT_H
#define KARAKAL_DRIVER_CORES_ENGINEASSIGNMENT_H

#include "driver/cores/EngineCode.h"

namespace karakal::driver {

/// Assigns the engines again by the cost of each aggregate's code, if the model
/// predicts a higher rate for the new assignment. An aggregate with a lock in
/// local memory keeps its one engine. Changes the plan of the module and of
/// `engines`, and explains the change as a part of aggregation.
void reassignEngines(mlir::ModuleOp planned,
                     std::vector<AggregateCode> &engines);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_ENGINEASSIGNMENT_H
