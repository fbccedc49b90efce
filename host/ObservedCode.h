// Code with observers, for the model of rates.

#ifndef KARAKAL_HOST_OBSERVEDCODE_H
#define KARAKAL_HOST_OBSERVEDCODE_H

#include "host/Jit.h"

namespace karakal::host {

/// As compileFast, with observers (codegen-x86/ObserveWork.h), whose symbols
/// are among those of `memory`. `objects` becomes the names of what accesses
/// are to.
JitProgram compileObserved(HostProgram &program,
                           const std::vector<SymbolAddress> &memory,
                           std::vector<std::string> &objects);

} // namespace karakal::host

#endif // KARAKAL_HOST_OBSERVEDCODE_H
