// From text to syntax tree.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_PARSER_H
#define KARAKAL_BAKER_LANG_SYNTAX_PARSER_H

#include "baker-lang/syntax/SourceText.h"
#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace karakal::lang {

struct Program;

/// Parses `files` and all files that they import into `program`, and reports
/// syntax errors. An import is looked up in the folder of the importing file,
/// then in `importFolders`. Each file is read once, unless `texts` has its
/// text.
void parseProgram(const std::vector<std::string> &files,
                  const std::vector<std::string> &importFolders,
                  const SourceTexts &texts, Program &program,
                  Diagnostics &diagnostics);

/// Parses a text without imports. `name` names it in messages.
void parseText(const std::string &name, const std::string &text,
               Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_PARSER_H
