// Comments on the words of a program.

#ifndef KARAKAL_CODEGEN_ME_WORDS_ANNOTATION_H
#define KARAKAL_CODEGEN_ME_WORDS_ANNOTATION_H

#include "codegen-me/words/WordProgram.h"

#include <string>
#include <vector>

namespace karakal::codegen {

/// A comment on each word of the finished program: its address, its cycles, the
/// signals it waits for, the registers that are live-out, and the start of a
/// new source line.
std::vector<std::string> annotate(const WordProgram &program);

/// Printed words with their notes as comments.
std::string withNotes(const std::string &text,
                      const std::vector<std::string> &notes);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_ANNOTATION_H
