// Where a program's names are declared and used.
//
// For editors: from a place in the text to the declaration behind it, to all
// its uses, and to a sentence about it.

#ifndef KARAKAL_BAKER_LANG_EDITOR_SYMBOLINDEX_H
#define KARAKAL_BAKER_LANG_EDITOR_SYMBOLINDEX_H

#include "baker-lang/syntax/Declarations.h"

namespace karakal::lang {

/// One place where a name stands: its declaration, or a use of it.
struct NamePlace {
  SourceRange range;
  const Decl *decl;
};

/// All names of an analyzed program whose declaration is known.
std::vector<NamePlace> namesOf(const Program &program);

/// What a reader wants to know of a declaration: its kind, type, size, place.
std::string describe(const Decl &decl);

/// Names that can stand where an expression or a statement begins.
std::vector<const Decl *> visibleNames(const Program &program);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_SYMBOLINDEX_H
