// Pieces of the template of bit vectors.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_BITVECTORTEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_BITVECTORTEXT_H

#include "baker-lang/tables/BitVectors.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace karakal::lang {

/// The replacement of a placeholder of `bit_vectors.template` or
/// `classes.template`, if it is one of theirs. The fields of the key are `p0`,
/// `p1`, …, and its packed words `k0`, `k1`, ….
std::optional<std::string> bitVectorText(llvm::StringRef placeholder,
                                         const BitVectors &vectors,
                                         const KeyLayout &layout);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_BITVECTORTEXT_H
