// The prefixes that a control file adds to the tables of a program.

#ifndef KARAKAL_DRIVER_COUNTPREFIXES_H
#define KARAKAL_DRIVER_COUNTPREFIXES_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Error.h"

#include <string>

namespace karakal::driver {

/// Counts the prefixes that the calls of a control file add, for the strides of
/// tries (baker-lang/tables/PrefixCounts.h). Calls that do not fit a table are
/// left to the run. Errors: those of traces::readControlFile.
Status countPrefixes(mlir::ModuleOp program, const std::string &controlFile);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_COUNTPREFIXES_H
