// The keywords of Baker.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_KEYWORDS_H
#define KARAKAL_BAKER_LANG_SYNTAX_KEYWORDS_H

#include <string>
#include <vector>

namespace antlr4 {
class Token;
}

namespace karakal::lang {

/// All keywords, in the order of the grammar, which is their only list.
const std::vector<std::string> &keywords();

/// True for words that the grammar names, such as `module` and `int`. Sized
/// types such as `u8`, names and literals are no keywords.
bool isKeyword(const antlr4::Token *token);

/// True for `u8`, `s32`, …, `bool`, `int` and `unsigned`.
bool isScalarType(const antlr4::Token *token);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_KEYWORDS_H
