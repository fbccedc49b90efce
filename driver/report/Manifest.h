// The manifest of an image.

#ifndef KARAKAL_DRIVER_REPORT_MANIFEST_H
#define KARAKAL_DRIVER_REPORT_MANIFEST_H

#include "driver/cores/EngineCode.h"
#include "driver/cores/XScale.h"
#include "driver/pipeline/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include <nlohmann/json.hpp>

namespace karakal::driver {

/// Makes the manifest of a planned program (docs/image.md).
nlohmann::json makeManifest(mlir::ModuleOp program, const Options &options,
                            const std::vector<AggregateCode> &engines,
                            const XScaleCode &xscale);

/// Symbols of the XScale core's entries: the handler first, then the wrappers
/// of init and control functions.
std::vector<std::string> xscaleEntries(mlir::ModuleOp program);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_MANIFEST_H
