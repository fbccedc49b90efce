// The syntax tree as text.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_ASTDUMP_H
#define KARAKAL_BAKER_LANG_SYNTAX_ASTDUMP_H

#include <iosfwd>

namespace karakal::lang {

struct Program;

/// Prints the analyzed syntax tree.
void dumpAst(const Program &program, std::ostream &out);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_ASTDUMP_H
