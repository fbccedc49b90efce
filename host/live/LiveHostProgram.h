// A program that is compiled for this computer and runs until it is told to
// stop, as the software switch uses it.
//
// Each core has packets of its own. A packet that makes the program do
// something illegal ends, with the other packets of its burst that are still
// under way, and the core goes on.

#ifndef KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H
#define KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H

#include "codegen-x86/LiveProgram.h"
#include "host/HostProgram.h"
#include <memory>

namespace karakal::host {

/// Compiles `program` at full speed. `engineHz` is the clock whose time
/// `timestamp` tells.
std::unique_ptr<x86::LiveProgram> makeLiveProgram(HostProgram program,
                                                  uint64_t engineHz);

} // namespace karakal::host

#endif // KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H
