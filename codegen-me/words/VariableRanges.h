// Where local variables lie.
//
// LLVM says in the machine code which register has a variable's value from here
// on (DBG_VALUE). Words are then moved, registers renamed and copies removed.
// So a value is marked at the word that makes it: wherever that word goes, its
// destination has the value afterwards, until another word overwrites it. A
// forward analysis over the finished words gives the ranges:
//
//     alu[a3, a1, +, b2]      makes x       x: a3
//     beq[else#]                            x: a3
//     alu[a3, --, B, b1]                    x: nowhere
//     else#:                                x: nowhere, the paths differ
//
// In code whose words are not moved (level base), values are marked before
// words instead: also those that no word of the block makes, such as where
// paths join. Above it, a variable that has such a value, or one whose word was
// removed, is in no range: what is shown is right.

#ifndef KARAKAL_CODEGEN_ME_WORDS_VARIABLERANGES_H
#define KARAKAL_CODEGEN_ME_WORDS_VARIABLERANGES_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Writes the variables of `program` and their ranges into `code`, which is the
/// program's.
void placeVariables(const WordProgram &program, target::Microcode &code);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_VARIABLERANGES_H
