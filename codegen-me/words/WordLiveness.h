// Registers that words read and write, and liveness.

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDLIVENESS_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDLIVENESS_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// A set of general-purpose registers: bits 0..15 bank A, 16..31 bank B.
using GprSet = uint32_t;

/// The bit of a GPR, or 0 for other operands.
GprSet gprBit(const target::Operand &operand);
/// Whether the destination keeps a part of its old value.
bool isPartial(const target::Instruction &instruction);
/// Registers that the instruction reads.
GprSet gprsRead(const target::Instruction &instruction);
/// Registers that the instruction overwrites completely.
GprSet gprsWritten(const target::Instruction &instruction);

/// The live-out registers of each item.
std::vector<GprSet> liveOut(const WordProgram &program);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDLIVENESS_H
