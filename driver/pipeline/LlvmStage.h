// The program as LLVM IR.
//
// What happens to one core's program between the baker dialect and a back
// end: the runtime's IR is linked in and the optimizer runs.

#ifndef KARAKAL_DRIVER_PIPELINE_LLVMSTAGE_H
#define KARAKAL_DRIVER_PIPELINE_LLVMSTAGE_H

#include "driver/pipeline/Level.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace karakal::driver {

/// The folder that holds packet.ll, xscale.ll, rx.uc and so on: the
/// environment variable KARAKAL_RUNTIME_DIR, else the build's own.
std::string runtimeDirectory();

/// Links `file` of the runtime folder into `program`, whose data layout and
/// triple it takes. E-driver-010 if it cannot be read, -011 if it does not
/// link.
Status linkRuntime(llvm::Module &program, const std::string &file);

/// Makes every definition but `entries` internal, so that what is not reached
/// from them goes.
void keepEntries(llvm::Module &module, const std::vector<std::string> &entries);

/// Runs the level's LLVM passes. Packet primitives stay calls on a
/// microengine (`keepPrimitives`), as in the paper's -O1.
void optimize(llvm::Module &module, Level level, bool keepPrimitives);

/// Maps accesses of address spaces 1 (SRAM), 2 (DRAM) and 3 (scratch) to the
/// XScale core's view of them.
void mapToXScaleAddresses(llvm::Module &module);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_LLVMSTAGE_H
