// Keywords that were meant as names.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_KEYWORDNAMES_H
#define KARAKAL_BAKER_LANG_SYNTAX_KEYWORDNAMES_H

#include "baker-lang/syntax/SyntaxErrors.h"

#include "antlr4-runtime.h"

namespace karakal::lang {

/// Reports keywords that stand where a declaration has its name, and makes
/// names of them and of their uses, so that nothing else is reported of them.
void nameKeywords(antlr4::CommonTokenStream &tokens, const TokenPlaces &places,
                  Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_KEYWORDNAMES_H
