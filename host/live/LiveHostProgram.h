// A program that is compiled for this computer and runs until it is told to
// stop, as the software switch uses it.
//
// Each core has packets of its own, and code of its own that finds them; the
// program's data is shared. PPFs of the XScale core, which on the chip runs one
// at a time, exclude each other.
// A packet that makes the program do something illegal ends, and the core goes
// on. If packets run in stages, those of its sub-batch that are still under way
// end with it; for a while after that, packets run one by one, so that a sender
// of such packets costs others time, and few of their packets.

#ifndef KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H
#define KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H

#include "codegen-x86/LiveProgram.h"
#include "host/HostProgram.h"
#include "host/Specialization.h"
#include <memory>

namespace karakal::host {

/// Compiles `program` at full speed for `cores` threads; if there are several,
/// it is lowered for threads (passes/to-llvm/Threads.h). `engineHz` is the
/// clock whose time `timestamp` tells. Packets run in stages, `subBatch` at a
/// time, if the program has code for batches and `subBatch` is more than 1.
std::unique_ptr<x86::LiveProgram>
makeLiveProgram(HostProgram program, uint64_t engineHz, uint32_t cores,
                const SpecializeOptions &specialize = {},
                uint32_t subBatch = 1);

} // namespace karakal::host

#endif // KARAKAL_HOST_LIVE_LIVEHOSTPROGRAM_H
