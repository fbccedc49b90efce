//===- Parser.h - from text to syntax tree ----------------------*- C++ -*-===//

#ifndef KARAKAL_BAKER_LANG_PARSER_H
#define KARAKAL_BAKER_LANG_PARSER_H

#include "support/Diagnostics.h"

#include <set>
#include <string>

namespace karakal::lang {

struct Program;

/// Parses the file `path` into `program` and reports what is wrong with it.
/// Names that stand in parts that were not understood go to `suspects`.
void parseFile(const std::string &path, Program &program,
               Diagnostics &diagnostics, std::set<std::string> &suspects);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_PARSER_H
