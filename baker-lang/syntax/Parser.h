// From text to syntax tree.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_PARSER_H
#define KARAKAL_BAKER_LANG_SYNTAX_PARSER_H

#include "support/Diagnostics.h"

#include <set>
#include <string>
#include <vector>

namespace karakal::lang {

struct Program;

/// Parses `files`, and all that they import, into `program` and reports what
/// is wrong with them. An import is looked for beside the file that names it,
/// then in `folders`; each file is read once. Names that stand in parts that
/// were not understood go to `suspects`.
void parseProgram(const std::vector<std::string> &files,
                  const std::vector<std::string> &folders, Program &program,
                  Diagnostics &diagnostics, std::set<std::string> &suspects);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_PARSER_H
