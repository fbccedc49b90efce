// The report of decisions and their reasons.

#ifndef KARAKAL_DRIVER_REPORT_COMPILEREPORT_H
#define KARAKAL_DRIVER_REPORT_COMPILEREPORT_H

#include "driver/cores/EngineCode.h"
#include "driver/cores/XScale.h"
#include "driver/pipeline/Options.h"
#include "driver/pipeline/Remark.h"
#include "driver/report/MappingComparison.h"
#include "driver/report/MinimumRate.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace karakal::driver {

/// The report as JSON text: aggregates with their PPFs, engines and code size
/// by function, the prediction of the throughput model and the steps of
/// aggregation; the XScale core's part; the memory of globals; every decision
/// with its reason, explanations of passes included; the cost of a mapping
/// file; and, if asked for, worst cases and the minimum rate.
std::string makeReport(mlir::ModuleOp program, const Options &options,
                       const std::vector<AggregateCode> &engines,
                       const XScaleCode &xscale,
                       const std::vector<Remark> &remarks,
                       const std::optional<MinimumRate> &minimum,
                       const std::optional<MappingCost> &mapping);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_COMPILEREPORT_H
