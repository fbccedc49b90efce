// Checks rules about adjacent words.
//
// Some instructions work only next to others: the immed after a local_csr_rd,
// the shift count before an indirect shift, the override before an
// indirect_ref. Others must not be in a delay slot, or too close to each other.
// encode checks one instruction at a time, checkProgram finished words. The
// words may come from the assembler or from the code generator.

#ifndef KARAKAL_TARGET_IXP_TABLE_PROGRAMRULES_H
#define KARAKAL_TARGET_IXP_TABLE_PROGRAMRULES_H

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::target {

/// One violated rule.
struct RuleBreach {
  uint32_t address; ///< word address
  std::string id;   ///< E-target-ixp-13n
  std::string message;
};

/// Returns all violations, sorted by address. Rules:
///   130  no branch, ctx_arb or ctx_swap in a delay slot
///   131  local_csr_rd is followed by immed
///   132  indirect_ref, indirect shift, asr follow an instruction that
///        yields the override, an a operand for the count, the sign
///   133  a branch leads into the program, and control does not run past its
///        end
///   134  no CAM instruction directly after a conditional branch
///   135  a crc keeps its distance from the next crc and from a read of
///        CRC_REMAINDER
///   136  local memory is not used before a new LM_ADDR takes effect
///   137  no path leads from a context swap to a conditional branch, +carry or
///        -carry without an instruction that writes the condition codes
///   138  indirect_ref does not widen a burst beyond the count that the command
///        states, nor beyond the context's registers
std::vector<RuleBreach> checkProgram(const std::vector<uint64_t> &words);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_PROGRAMRULES_H
