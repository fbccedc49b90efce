// Completion: the names that can stand at a place.

#ifndef KARAKAL_BAKER_LANG_EDITOR_COMPLETION_H
#define KARAKAL_BAKER_LANG_EDITOR_COMPLETION_H

#include "baker-lang/editor/Document.h"

namespace karakal::lang {

/// What can be written at a position of the file at `path`, as an array of
/// CompletionItem of the protocol, ordered by name:
///
///     ph->          the fields of the header, and `metadata`
///     ph->metadata. the metadata, `rx` and `tx`
///     m.            the members of a module, the channels of a PPF
///     packet_drop(ph,   the drop reasons
///     channel_put(      the outputs of this PPF
///     @             annotations
///     import net.   files of the folders
///
/// and otherwise the names in scope, the types, primitives and keywords. The
/// text there need not be a program: it is analyzed with a name at the place
/// and without the bodies of other functions. `texts` has the texts that are
/// open, among them that of the file; `known` has the other files of its
/// program, if they have been read before.
nlohmann::json completionItems(const std::string &path,
                               const nlohmann::json &position,
                               const SourceTexts &texts,
                               const SourceManager &known,
                               const std::vector<std::string> &importFolders);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_COMPLETION_H
