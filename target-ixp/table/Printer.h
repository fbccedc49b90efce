// Prints instructions as Intel microcode.

#ifndef KARAKAL_TARGET_IXP_TABLE_PRINTER_H
#define KARAKAL_TARGET_IXP_TABLE_PRINTER_H

#include "target-ixp/image/Microcode.h"
#include "target-ixp/table/Instruction.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace karakal::target {

/// The text of a branch target, e.g. "l_0012#"; "" prints the address as ".12".
using LabelResolver = std::function<std::string(unsigned address)>;

/// The instruction in Intel's syntax, without newline. The text depends only on
/// the instruction's word, and ixp-as assembles it to the same word.
std::string print(const Instruction &instruction,
                  const LabelResolver &labels = {});

/// One operand: "a5", "$$2", "*l$index0[3]", "0x1f", "--".
std::string print(const Operand &operand);

/// The contents of the comment after each instruction of a listing.
struct ListingOptions {
  bool words = false;     ///< address and word
  bool showLines = false; ///< source line, if `lines` has one
  const std::vector<SourceLine> *lines = nullptr; ///< one per word, or null
};

/// A whole program, with one instruction per line and "l_0012#:" before each
/// branch target. A word that is not an instruction's encoding prints as
/// ".word 0x0123456789".
std::string printProgram(const std::vector<uint64_t> &words,
                         const ListingOptions &options = {});

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_PRINTER_H
