// Where the names of a program are declared and used.

#ifndef KARAKAL_BAKER_LANG_EDITOR_SYMBOLOCCURRENCES_H
#define KARAKAL_BAKER_LANG_EDITOR_SYMBOLOCCURRENCES_H

#include "baker-lang/tree/Program.h"

namespace karakal::lang {

/// A place in the text that names a declaration: the declaration itself or a
/// use of it.
struct SymbolOccurrence {
  SourceRange range;
  const Decl *decl;
};

/// All occurrences of declared names in an analyzed program, which may have
/// errors.
std::vector<SymbolOccurrence> findOccurrences(const Program &program);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_SYMBOLOCCURRENCES_H
