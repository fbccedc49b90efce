// Which registers words read and write.

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDLIVENESS_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDLIVENESS_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// A set of general-purpose registers: bits 0..15 bank A, 16..31 bank B.
using GprSet = uint32_t;

/// The register's bit, 0 if the operand is none.
GprSet gprBit(const target::Operand &operand);
/// Whether the destination keeps a part of its old value.
bool isPartial(const target::Instruction &instruction);
/// Registers whose value the instruction needs.
GprSet gprsRead(const target::Instruction &instruction);
/// Registers that the instruction overwrites as a whole.
GprSet gprsWritten(const target::Instruction &instruction);

/// The registers live behind each item.
std::vector<GprSet> liveBehind(const WordProgram &program);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDLIVENESS_H
