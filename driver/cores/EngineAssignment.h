// Engines for aggregates, by the cost of the generated code.

#ifndef KARAKAL_DRIVER_CORES_ENGINEASSIGNMENT_H
#define KARAKAL_DRIVER_CORES_ENGINEASSIGNMENT_H

#include "driver/cores/EngineCode.h"

namespace karakal::driver {

/// Assigns the engines of the plan again, now by what the code of each
/// aggregate costs, if the model predicts a higher rate for it. An aggregate
/// with a lock in local memory keeps its one engine. Changes the plan of the
/// module and of `engines`, and explains the change as a part of aggregation.
void reassignEngines(mlir::ModuleOp planned,
                     std::vector<AggregateCode> &engines);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_ENGINEASSIGNMENT_H
