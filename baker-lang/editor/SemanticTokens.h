// Colours that depend on what a name means.

#ifndef KARAKAL_BAKER_LANG_EDITOR_SEMANTICTOKENS_H
#define KARAKAL_BAKER_LANG_EDITOR_SEMANTICTOKENS_H

#include "baker-lang/editor/Document.h"

namespace karakal::lang {

/// The names of token types and modifiers that the numbers of `semanticTokens`
/// stand for, as a SemanticTokensLegend of the protocol.
nlohmann::json semanticTokensLegend();

/// All tokens of the document, as SemanticTokens of the protocol. A comment of
/// several lines is one token for each.
nlohmann::json semanticTokens(const Document &document);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_SEMANTICTOKENS_H
