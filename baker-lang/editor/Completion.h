// Completion items.

#ifndef KARAKAL_BAKER_LANG_EDITOR_COMPLETION_H
#define KARAKAL_BAKER_LANG_EDITOR_COMPLETION_H

#include "baker-lang/editor/SymbolOccurrences.h"

#include <nlohmann/json.hpp>

namespace karakal::lang {

/// The names that can be completed in `program`, as an array of CompletionItem
/// of the Language Server Protocol, ordered by name: keywords, primitives,
/// declarations, and the fields among `occurrences`.
nlohmann::json
completionItems(const Program &program,
                const std::vector<SymbolOccurrence> &occurrences);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_COMPLETION_H
