// Renaming a symbol in all files of its program.

#ifndef KARAKAL_BAKER_LANG_EDITOR_RENAME_H
#define KARAKAL_BAKER_LANG_EDITOR_RENAME_H

#include "baker-lang/editor/Document.h"

namespace karakal::lang {

/// The name at byte `offset` if it can be renamed. Throws a ResponseError that
/// says why it cannot.
const SymbolOccurrence &renameableAt(const Document &document, uint32_t offset);

/// The WorkspaceEdit that renames the symbol at byte `offset`. The program is
/// analyzed with the new name; a ResponseError is thrown if it has other errors
/// then or if the new name means something else at some place.
nlohmann::json renameEdit(const Document &document, uint32_t offset,
                          const std::string &newName, const SourceTexts &texts,
                          const std::vector<std::string> &importFolders);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_RENAME_H
