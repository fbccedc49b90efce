// Linking and optimizing LLVM IR.
//
// The stage between the baker dialect and a back end, for the program of one
// core: links the runtime's IR and runs LLVM's optimizer.

#ifndef KARAKAL_DRIVER_PIPELINE_LLVMSTAGE_H
#define KARAKAL_DRIVER_PIPELINE_LLVMSTAGE_H

#include "driver/pipeline/Level.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace karakal::driver {

/// Returns the folder with packet.ll, xscale.ll, rx.uc and so on: the value of
/// the environment variable KARAKAL_RUNTIME_DIR, or `../share/karakal/runtime`
/// as seen from the executable, or the folder of the checkout. The executable
/// holds no absolute path, so that equal sources make equal bytes in any
/// folder.
std::string runtimeDirectory();

/// Links `file` of the runtime folder into `program`. The file takes the data
/// layout and triple of the program. E-driver-010 if it cannot be read, -011 if
/// it does not link.
Status linkRuntime(llvm::Module &program, const std::string &file);

/// Makes every definition but `entries` internal, so that LLVM removes code
/// that they do not reach.
void keepEntries(llvm::Module &module, const std::vector<std::string> &entries);

/// Runs the level's LLVM passes. With `keepPrimitives` the packet primitives
/// stay calls, as in the paper's -O1.
void optimize(llvm::Module &module, Level level,
              const target::ChipParameters &chip, bool keepPrimitives);

/// The same for the program of the XScale core, with fewer passes: that program
/// is the largest, and packets seldom wait for it. All levels above base have
/// the same passes.
void optimizeForXScale(llvm::Module &module, bool isBase);

/// Translates addresses in address spaces 1 (SRAM), 2 (DRAM) and 3 (scratch) to
/// the XScale core's addresses.
void mapToXScaleAddresses(llvm::Module &module);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_LLVMSTAGE_H
