// Descriptions of names, for hovers, completions and signatures.

#ifndef KARAKAL_BAKER_LANG_EDITOR_DESCRIBE_H
#define KARAKAL_BAKER_LANG_EDITOR_DESCRIBE_H

#include "baker-lang/editor/SymbolOccurrences.h"

#include <string>
#include <vector>

namespace karakal::lang {

/// One line about a declaration: its kind, name and type, and its value or size
/// if it has one. Types that analysis could not resolve are "(unknown)".
std::string describe(const Decl &decl);

/// The same about a symbol, which may be a field of a struct.
std::string describe(const Symbol &symbol);

/// Words in memory, as text: "4 words".
std::string sizeText(const Type *type);

/// The function or primitive that can be called by `name` in `module`, which
/// may be null: `fold`, `checksum.fold` or `packet_drop`.
struct Signature {
  std::string label; ///< `u32 fold(u32 sum)`; empty if there is none
  std::vector<std::string> parameters; ///< parts of the label
  std::string meaning;                 ///< of a primitive
};
Signature signatureOf(const Program &program, const ModuleDecl *module,
                      const std::string &name);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_DESCRIBE_H
