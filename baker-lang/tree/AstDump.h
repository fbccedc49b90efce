// Prints the syntax tree.

#ifndef KARAKAL_BAKER_LANG_TREE_ASTDUMP_H
#define KARAKAL_BAKER_LANG_TREE_ASTDUMP_H

#include "support/SourceFiles.h"

#include <iosfwd>

namespace karakal::lang {

struct Program;

/// Prints the syntax tree of an analyzed program as text. A line ends with the
/// place of its node in the source, as "  @file:line".
void dumpAst(const Program &program, const SourceManager &sources,
             std::ostream &out);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_ASTDUMP_H
