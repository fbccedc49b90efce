// Allocates registers and signals.
//
// Every symbol keeps one number for the whole of its scope. There is no
// liveness analysis and no splitting, so that hand-written code keeps the
// registers it names.
//
// Banks: GPRs that are sources of one instruction must be in different banks.
// The graph of these pairs is coloured with two colours. Each connected
// component is coloured such that the fuller bank stays as empty as possible.
//
// Numbers: scopes are visited from the outside in. A symbol takes the lowest
// number that no symbol of its own or of an enclosing scope has, so scopes that
// are not nested share numbers. Registers of one .xfer_order take consecutive
// numbers. A signal pair takes an even number and the next.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMALLOCATOR_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMALLOCATOR_H

#include "target-ixp/assembler/AsmProgram.h"

namespace karakal::target::as {

/// Fills `bank` and `number` of all symbols. Errors: E-target-ixp-116 (the
/// pairs cannot be put into two banks), 117 (out of registers or signals).
bool allocate(AsmProgram &program, Reporter &reporter);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMALLOCATOR_H
