// The address of each global variable.

#ifndef KARAKAL_DRIVER_REPORT_ADDRESSMAP_H
#define KARAKAL_DRIVER_REPORT_ADDRESSMAP_H

#include "baker-lang/tree/Program.h"
#include "support/SourceFiles.h"

#include <map>
#include <string>

namespace karakal::driver {

/// Where a compilation without a profile puts each global variable of a program
/// without errors, and why: one line of text for each symbol. Empty if the
/// program does not fit in memory. Reports no diagnostics.
std::map<std::string, std::string> addressMapOf(const lang::Program &program,
                                                const SourceManager &sources);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_ADDRESSMAP_H
