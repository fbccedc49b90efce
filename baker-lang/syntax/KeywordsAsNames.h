// Keywords that a program uses as names.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_KEYWORDSASNAMES_H
#define KARAKAL_BAKER_LANG_SYNTAX_KEYWORDSASNAMES_H

#include "baker-lang/syntax/TokenRanges.h"
#include "support/Diagnostics.h"

#include "antlr4-runtime.h"

namespace karakal::lang {

/// Reports each keyword that stands where a declaration has its name. Turns it
/// and its uses into identifiers, so that the parser reports nothing else about
/// them.
void turnKeywordsIntoNames(antlr4::CommonTokenStream &tokens,
                           const TokenRanges &tokenRanges,
                           Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_KEYWORDSASNAMES_H
