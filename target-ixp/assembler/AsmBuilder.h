// An item's text to an instruction.
//
// Runs twice over each item. Before allocation it resolves names, reports what
// is wrong, and collects what the allocator must know: which GPRs meet as
// sources, which signals are pairs, which places are written by number. After
// allocation it yields the instruction with physical operands.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMBUILDER_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMBUILDER_H

#include "target-ixp/assembler/AsmProgram.h"

#include <optional>

namespace karakal::target::as {

/// Collects from all items. Errors: E-target-ixp-111 (syntax), 115 (unknown
/// name), 118 (a transfer register used against its direction or beyond its
/// .xfer_order), and the expressions' own.
void collect(AsmProgram &program, Reporter &reporter);

/// The instruction of an item without errors, after allocation; nothing if
/// something was reported.
std::optional<Instruction> build(AsmProgram &program, Item &item,
                                 Reporter &reporter);

/// Value of a .word item.
std::optional<int64_t> buildWord(const Item &item, Reporter &reporter);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMBUILDER_H
