// The load of the memories besides global data.
//
// At line rate (target-ixp/chip/LineRate.h) each packet of the smallest size
// occupies the units of the chip:
//
//   Rx and Tx     by the words of their code
//   (target-ixp/microcode/RuntimeCost.h) the program   takes a message and puts
//   one; reads and writes headers, the
//                 accesses of a PPF together; and descriptors, unless it
//                 follows packets in registers
//   polls         of contexts that find no message, at most those of all
//                 contexts
//
// How often a packet comes to a PPF is in the profile. Without one it comes
// once.

#ifndef KARAKAL_PASSES_MEMORY_UNITLOADS_H
#define KARAKAL_PASSES_MEMORY_UNITLOADS_H

#include "mlir/IR/BuiltinOps.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/Memories.h"
#include <map>

namespace karakal::passes {

/// Cycles per packet for which each memory that engines share is occupied. With
/// `usesDescriptors` the program reads and writes descriptors.
std::map<target::Memory, double> unitLoads(mlir::ModuleOp module,
                                           const target::ChipParameters &chip,
                                           bool usesDescriptors);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_MEMORY_UNITLOADS_H
