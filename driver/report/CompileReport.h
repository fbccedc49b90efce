// What the compiler decided, and why.

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
/// by function, what the throughput model says of them and how aggregation
/// came to them; the XScale core's part; the memory that globals take; every
/// decision with its reason, those that passes explain included; what a mapping
/// file costs; and, if asked for, worst cases and the minimum rate.
std::string makeReport(mlir::ModuleOp program, const Options &options,
                       const std::vector<AggregateCode> &engines,
                       const XScaleCode &xscale,
                       const std::vector<Remark> &remarks,
                       const std::optional<MinimumRate> &minimum,
                       const std::optional<MappingCost> &mapping);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_COMPILEREPORT_H
