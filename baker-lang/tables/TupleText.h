// Pieces of the template of tuples (runtime/tables/tuples.template).

#ifndef KARAKAL_BAKER_LANG_TABLES_TUPLETEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TUPLETEXT_H

#include "baker-lang/tables/SlotLayout.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace karakal::lang {

/// Returns the text for a placeholder, or nothing if no tuple has it.
std::optional<std::string> tupleText(llvm::StringRef name,
                                     const KeyLayout &layout);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TUPLETEXT_H
