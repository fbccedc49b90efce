// The address of each global variable.

#ifndef KARAKAL_DRIVER_REPORT_ADDRESSMAP_H
#define KARAKAL_DRIVER_REPORT_ADDRESSMAP_H

#include "baker-lang/editor/LanguageServer.h"
#include "support/SourceFiles.h"

#include <map>
#include <string>

namespace karakal::driver {

/// Returns the memory, address and reason that a compilation without a profile
/// gives each global variable, by symbol. `program` has no errors. Empty if the
/// program does not fit in memory. Reports no diagnostics.
std::map<std::string, lang::GlobalPlacement>
addressMapOf(const lang::Program &program, const SourceManager &sources);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_ADDRESSMAP_H
