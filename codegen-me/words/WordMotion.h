// Tells which words can be reordered.
//
// Shared by the passes that move words within a block into slots.

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Arithmetic whose only effects are its result and the condition codes.
bool isArithmetic(const target::Instruction &instruction);

/// Arithmetic on registers that neither pointers nor other contexts observe.
bool isMovable(const Item &item);

/// Whether `first`, which precedes `second`, may follow it instead. The number
/// of a transfer register names an in-register and an out-register; treating
/// them as one is safe.
bool commute(const target::Instruction &first,
             const target::Instruction &second);

/// Whether the word is glued to the one before it, so that no word may be
/// placed between them.
bool isTail(const std::vector<Item> &items, unsigned index);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H
