//===- Instrument.h - counters for the functional profile -----*- C++ -*-===//
//
// Puts calls of `baker_profile_count(counter)` into a program of the baker
// dialect, one counter for each of
//
//   channel NAME     packets put on the channel
//   read GLOBAL      loads from the global
//   write GLOBAL     stores to the global
//
// and, after a run, writes what the compiler needs of the counts back as
// attributes: `baker.profile` on every PPF. Packets that enter a PPF are
// counted without instrumentation.
//
// A channel between two PPFs may be lowered to a direct call, so its traffic
// can only be counted here, before the lowering.
//
// Cost: one increment in memory for each event.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_HOST_INSTRUMENT_H
#define KARAKAL_HOST_INSTRUMENT_H

#include "host/HostRunner.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::host {

/// Adds the counters to `baker` and returns their names by number, for
/// HostProgram::counters.
std::vector<std::string> instrument(mlir::ModuleOp baker);

/// Sets `baker.profile` on the PPFs of `baker` from a run.
void annotate(mlir::ModuleOp baker, const HostRun &run);

} // namespace karakal::host

#endif // KARAKAL_HOST_INSTRUMENT_H
