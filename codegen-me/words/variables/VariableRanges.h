// Where local variables lie.
//
// SourceValues says which value a variable has at each word of the source. A
// forward analysis over the finished words finds where the values are: wherever
// the word that makes one goes, its destination has it afterwards, until
// another word overwrites it.
//
//     alu[a3, a1, +, b2]      makes x       x: a3
//     beq[else#]                            x: a3
//     alu[a3, --, B, b1]                    x: nowhere
//     else#:                                x: nowhere, the paths differ
//
// A word that a pass has taken to another block makes no value there, and shows
// none: what is shown is right.

#ifndef KARAKAL_CODEGEN_ME_WORDS_VARIABLES_VARIABLERANGES_H
#define KARAKAL_CODEGEN_ME_WORDS_VARIABLES_VARIABLERANGES_H

#include "codegen-me/words/variables/SourceValues.h"

namespace karakal::codegen {

/// Writes the variables of `program` and their ranges into `code`, which is the
/// program's. `source` is of the program before the passes.
void placeVariables(const WordProgram &program, const SourceValues &source,
                    target::Microcode &code);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_VARIABLES_VARIABLERANGES_H
