// What a text consists of: symbols, and regions that can be folded.

#ifndef KARAKAL_BAKER_LANG_EDITOR_OUTLINE_H
#define KARAKAL_BAKER_LANG_EDITOR_OUTLINE_H

#include "baker-lang/editor/Document.h"

namespace karakal::lang {

/// The declarations of the document as an array of DocumentSymbol, in the order
/// of the text: modules with their members, PPFs with their channels, protocols
/// and structs with their fields.
nlohmann::json documentSymbols(const Document &document);

/// Adds the declarations of the document's program whose names contain `query`,
/// in any case, to `symbols`: SymbolInformation by URI and place.
void addWorkspaceSymbols(const Document &document, const std::string &query,
                         std::map<std::string, nlohmann::json> &symbols);

/// Braces, comments and imports of several lines, as an array of FoldingRange.
nlohmann::json foldingRanges(const Document &document);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_OUTLINE_H
