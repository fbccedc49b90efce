// Translates items into instructions.
//
// This happens twice for each item. Before allocation, names are resolved,
// errors are reported, and the constraints of the allocator are collected:
// GPRs that are sources of one instruction, signals that are pairs, and
// registers that are written by number. After allocation, the result is the
// instruction with physical operands.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMBUILDER_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMBUILDER_H

#include "target-ixp/assembler/AsmProgram.h"

#include <optional>

namespace karakal::target::as {

/// Collects the constraints of all items. Errors: E-target-ixp-111 (syntax),
/// 115 (unknown name), 118 (a transfer register used against its direction or
/// beyond its .xfer_order), and those of expressions.
void collect(AsmProgram &program, Reporter &reporter);

/// The instruction of an item, after allocation. Returns nothing if an error
/// was reported.
std::optional<Instruction> build(AsmProgram &program, Item &item,
                                 Reporter &reporter);

/// The value of a .word item.
std::optional<int64_t> buildWord(const Item &item, Reporter &reporter);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMBUILDER_H
