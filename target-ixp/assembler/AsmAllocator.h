// Places for registers and signals.
//
// Gives every symbol one place for the whole of its scope: no liveness, no
// splitting, so that hand-written code keeps the registers it names.
//
// Banks: GPRs that are sources of one instruction must differ in bank. The
// graph of these pairs is coloured with two colours, each connected part such
// that the fuller bank stays as empty as possible.
//
// Numbers: scopes are visited from the outside in; a symbol takes the lowest
// number that no symbol of its own or of an enclosing scope holds. Scopes that
// are not nested thus share places. Registers of one .xfer_order take
// consecutive numbers; signal pairs an even number and the next.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMALLOCATOR_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMALLOCATOR_H

#include "target-ixp/assembler/AsmProgram.h"

namespace karakal::target::as {

/// Fills `bank` and `number` of all symbols. Errors: E-target-ixp-116 (no two
/// banks suffice for the pairs), 117 (out of registers or signals).
bool allocate(AsmProgram &program, Reporter &reporter);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMALLOCATOR_H
