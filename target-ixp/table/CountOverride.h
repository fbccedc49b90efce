// The count that an indirect_ref overrides.
//
// The result of the instruction before a command with indirect_ref may replace
// the count that the command states (bit 25; bits 24:21 are the count - 1). A
// checker that trusts the stated count misses the other registers of the burst.
//
//   immed[--, 0x220, <<16]                  // bit 25, count 2
//   sram[read, $0, a0, 0, 1], indirect_ref  // moves $0 and $1

#ifndef KARAKAL_TARGET_IXP_TABLE_COUNTOVERRIDE_H
#define KARAKAL_TARGET_IXP_TABLE_COUNTOVERRIDE_H

#include "target-ixp/table/Instruction.h"

#include <optional>
#include <vector>

namespace karakal::target {

/// In the word of an indirect reference [S], bit 25 makes bits 24:21 the count
/// of the command, less 1.
constexpr uint32_t OverridesCount = 1u << 25;
constexpr uint32_t CountOverrideShift = 21;

/// A program, with null for words that are not instructions.
using DecodedProgram = std::vector<std::optional<Instruction>>;

/// The count that the command at `address` takes from the instruction before
/// it, 1 to 16. Nothing if it takes none, or if straight-line code does not
/// show that the override is a constant.
std::optional<unsigned> overriddenCount(const DecodedProgram &program,
                                        uint32_t address);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_COUNTOVERRIDE_H
