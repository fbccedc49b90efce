// Which words can change places.
//
// Shared by the passes that move words of a block into slots.

#ifndef KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H
#define KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Arithmetic that hands nothing on but its result and the condition codes.
bool isArithmetic(const target::Instruction &instruction);

/// Arithmetic on registers; nothing that pointers or other contexts see.
bool isMovable(const Item &item);

/// Whether `first`, which precedes `second`, may follow it instead. A transfer
/// register's number names two registers; being wary of both is harmless.
bool commute(const target::Instruction &first,
             const target::Instruction &second);

/// Whether the word is bound to the one before it, so that nothing, such as the
/// setting of a pointer, can stand between.
bool isTail(const std::vector<Item> &items, unsigned index);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_WORDMOTION_H
