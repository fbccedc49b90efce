// Where the compiler puts global data.

#ifndef KARAKAL_DRIVER_REPORT_ADDRESSMAP_H
#define KARAKAL_DRIVER_REPORT_ADDRESSMAP_H

#include "baker-lang/tree/Program.h"
#include "support/SourceFiles.h"

#include <map>
#include <string>

namespace karakal::driver {

/// For each global variable of a program without errors, by its symbol, where
/// a compilation without a profile puts it and why, as one line. Empty if the
/// program cannot be placed. Says nothing to anybody.
std::map<std::string, std::string> placesOf(const lang::Program &program,
                                            const SourceManager &sources);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_ADDRESSMAP_H
