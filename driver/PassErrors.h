// Errors of passes, as the user sees them.

#ifndef KARAKAL_DRIVER_PASSERRORS_H
#define KARAKAL_DRIVER_PASSERRORS_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace karakal::driver {

/// Returns `file:line:column` of a location; empty if it is unknown.
std::string locationText(mlir::Location location);

/// Prints a diagnostic of MLIR to standard error. An error whose text ends with
/// an id, ` [E-folder-NNN]`, is printed like one of the language, with the
/// source line, or as a JSON array of its own.
void printPassDiagnostic(mlir::Diagnostic &diagnostic, bool isJson);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PASSERRORS_H
