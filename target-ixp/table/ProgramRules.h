// What must stand beside what.
//
// Some instructions work only beside others: the immed behind a local_csr_rd,
// the shift count before an indirect shift, the override before an
// indirect_ref. Others must not stand in a delay slot, or too close behind one
// another. encode cannot see this; checkProgram walks over finished words and
// reports what breaks a rule. It knows nothing of how the words were made, so
// that it checks the assembler's users and the code generator alike.

#ifndef KARAKAL_TARGET_IXP_TABLE_PROGRAMRULES_H
#define KARAKAL_TARGET_IXP_TABLE_PROGRAMRULES_H

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::target {

/// One broken rule.
struct RuleBreach {
  uint32_t address; ///< of the word that is to blame
  std::string id;   ///< E-target-ixp-13n
  std::string message;
};

/// All breaches, by address. Rules:
///   130  no branch, ctx_arb or ctx_swap in a delay slot
///   131  local_csr_rd is followed by immed
///   132  indirect_ref, indirect shift, asr stand behind an instruction that
///        yields the override, the count, the sign
///   133  a branch leads into the program, and the program's end is not
///        reached
///   134  no CAM instruction directly behind a conditional branch
///   135  a crc is apart from the next crc and from CRC_REMAINDER's reading
///   136  local memory is not used before a new LM_ADDR is in force
///   137  a conditional branch does not test what a context swap destroyed
std::vector<RuleBreach> checkProgram(const std::vector<uint64_t> &words);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_PROGRAMRULES_H
