// A program that is compiled for this computer and runs until it is told to
// stop, as the software switch uses it.
//
// Each core has packets of its own, and code of its own that finds them; the
// program's data is shared. PPFs of the XScale core, which on the chip runs one
// at a time, exclude each other.
// A packet that makes the program do
// something illegal ends, with the other packets of its burst that are still
// under way, and the core goes on.

#ifndef KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H
#define KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H

#include "codegen-x86/LiveProgram.h"
#include "host/HostProgram.h"
#include "host/Specialization.h"
#include <memory>

namespace karakal::host {

/// Compiles `program` at full speed for `cores` threads; if there are several,
/// it is lowered for threads (passes/to-llvm/Threads.h). `engineHz` is the
/// clock whose time `timestamp` tells.
std::unique_ptr<x86::LiveProgram>
makeLiveProgram(HostProgram program, uint64_t engineHz, uint32_t cores,
                const SpecializeOptions &specialize = {});

} // namespace karakal::host

#endif // KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H
