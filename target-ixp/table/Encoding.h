// Encodes instructions as 40-bit words and decodes them.
//
// encode checks every operand rule of the machine (banks, restricted operands,
// ranges, signal pairs) and names the rule that is broken. decode is its
// inverse. InstructionTable.def and Formats.def drive both.
//
// encode(decode(w)) == w holds for every word that encode can produce. A word
// that decodes always encodes again, to a word with the same meaning.
// isCanonical distinguishes the words that encode produces from the others,
// which differ in a don't-care bit or in the port of an operand.

#ifndef KARAKAL_TARGET_IXP_TABLE_ENCODING_H
#define KARAKAL_TARGET_IXP_TABLE_ENCODING_H

#include "support/Error.h"
#include "target-ixp/table/Instruction.h"

#include <cstdint>

namespace karakal::target {

/// The word of an instruction in bits 39:0, or the rule that it violates
/// (E-target-ixp-0xx).
Result<uint64_t> encode(const Instruction &instruction);

/// The instruction of a word, or E-target-ixp-050 if the word is not one or
/// violates a rule of encode.
Result<Instruction> decode(uint64_t word);

/// Whether `word` decodes to an instruction that encodes to `word`.
bool isCanonical(uint64_t word);

/// Returns decode(encode(instruction)): address operands of commands are in
/// port order, "--" for an unused alu source.
Instruction canonical(Instruction instruction);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_ENCODING_H
