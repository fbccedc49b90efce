// Tells which words can be reordered or use other registers.
//
// The passes that move words, or let them use other registers, share it.

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H

#include "codegen-me/words/WordProgram.h"

#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {

/// Whether the word is a plain move, dest = b, and not glued to the next.
bool isMove(const Item &item);

/// Whether the only effects are the result and the condition codes.
bool isArithmetic(const target::Instruction &instruction);

/// Whether the word is arithmetic on registers that neither pointers nor other
/// contexts observe.
bool isMovable(const Item &item);

/// Whether `first`, which precedes `second`, may follow it instead. It treats
/// the in-register and the out-register of one number as the same, which is
/// conservative.
bool commute(const target::Instruction &first,
             const target::Instruction &second);

/// Whether the word is glued to the one before it, so that no word may be
/// placed between them.
bool isTail(const std::vector<Item> &items, unsigned index);

/// Whether the format allows any source and destination operands.
bool isFlexible(target::Format format);

/// Whether the word at `index`, which writes a register, can write a transfer
/// register instead.
bool canWriteXfer(const std::vector<Item> &items, unsigned index);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H
