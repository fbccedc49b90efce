// Prints the syntax tree.

#ifndef KARAKAL_BAKER_LANG_TREE_ASTDUMP_H
#define KARAKAL_BAKER_LANG_TREE_ASTDUMP_H

#include <iosfwd>

namespace karakal::lang {

struct Program;

/// Prints the syntax tree of an analyzed program as text.
void dumpAst(const Program &program, std::ostream &out);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_ASTDUMP_H
