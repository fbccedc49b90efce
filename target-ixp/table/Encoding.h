// Instructions to 40-bit words and back.
//
// encode checks every operand rule of the machine (bank rule, restricted
// operands, ranges, signal pairs) and names the rule that is broken; decode
// inverts it. Both are driven by InstructionTable.def.
//
// encode(decode(w)) == w holds for every word that encode can make; a word
// that decodes but is not in this canonical form (say, a don't-care bit is
// set) is told from others by isCanonical.

#ifndef KARAKAL_TARGET_IXP_TABLE_ENCODING_H
#define KARAKAL_TARGET_IXP_TABLE_ENCODING_H

#include "support/Error.h"
#include "target-ixp/table/Instruction.h"

#include <cstdint>

namespace karakal::target {

/// The word of an instruction, bits 39:0, or what forbids it
/// (E-target-ixp-0xx).
Result<uint64_t> encode(const Instruction &instruction);

/// The instruction of a word, or that the word is none (E-target-ixp-050).
Result<Instruction> decode(uint64_t word);

/// Whether `word` decodes to an instruction that encodes to `word`.
bool isCanonical(uint64_t word);

/// The instruction as decode(encode(instruction)) would yield it: commands'
/// address operands in port order, "--" for an unused alu source.
Instruction canonical(Instruction instruction);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_ENCODING_H
