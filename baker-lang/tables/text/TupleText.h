// Pieces of the template of tuples (runtime/tables/tuples.template).

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_TUPLETEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_TUPLETEXT_H

#include "baker-lang/tables/SlotLayout.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace karakal::lang {

/// What replaces a placeholder of the tuples' template, if it is one of them.
std::optional<std::string> tupleText(llvm::StringRef placeholder,
                                     const KeyLayout &layout);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_TUPLETEXT_H
