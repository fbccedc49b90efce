// What a reader of microcode asks.

#ifndef KARAKAL_CODEGEN_ME_WORDS_ANNOTATION_H
#define KARAKAL_CODEGEN_ME_WORDS_ANNOTATION_H

#include "codegen-me/words/WordProgram.h"

#include <string>
#include <vector>

namespace karakal::codegen {

/// A note on each word of the finished program: its address, cycles, what it
/// waits for, registers that are live behind it, and where a new source line
/// begins.
std::vector<std::string> annotate(const WordProgram &program);

/// Printed words with their notes as comments.
std::string withNotes(const std::string &text,
                      const std::vector<std::string> &notes);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_ANNOTATION_H
