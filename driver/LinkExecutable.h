// Executables of programs for x86: --target=x86 --emit=exe.

#ifndef KARAKAL_DRIVER_LINKEXECUTABLE_H
#define KARAKAL_DRIVER_LINKEXECUTABLE_H

#include "support/Error.h"
#include <string>

namespace karakal::driver {

/// Links `object`, the bytes of an object with x86::ProgramTable, and our
/// library of main functions to the executable `path`, which appears complete
/// or not at all. The C compiler that does it is that of the environment
/// variable CC, cc, gcc or clang. Errors: E-driver-046 none is there, -047 it
/// fails, -048 our library is not found; E-support-002.
Status linkExecutable(const std::string &object, const std::string &path);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_LINKEXECUTABLE_H
