// Where the names of a program are declared and used.

#ifndef KARAKAL_BAKER_LANG_EDITOR_SYMBOLOCCURRENCES_H
#define KARAKAL_BAKER_LANG_EDITOR_SYMBOLOCCURRENCES_H

#include "baker-lang/tree/Program.h"

namespace karakal::lang {

/// What a name stands for: a declaration, or a field of a struct.
struct Symbol {
  const Decl *decl = nullptr; ///< of the struct, if `field` is set
  const StructField *field = nullptr;

  const std::string &name() const {
    return field ? field->name.name : decl->name;
  }
  /// Where the name is declared; empty if it is built in.
  SourceRange declaredAt() const {
    return field ? field->name.range : decl->range;
  }
  bool isBuiltin() const { return declaredAt().end == 0; }
  /// Instances of a parameterized module declare the same names.
  bool operator==(const Symbol &other) const {
    return declaredAt() == other.declaredAt() && name() == other.name();
  }
};

/// A place in the text that names a symbol: its declaration or a use of it.
struct SymbolOccurrence {
  SourceRange range;
  Symbol symbol;
};

/// All occurrences of declared names in an analyzed program, which may have
/// errors, ordered by place. A place occurs once. `ether` of the type
/// `ether_pkt` is an occurrence of the protocol.
std::vector<SymbolOccurrence> findOccurrences(const Program &program,
                                              const SourceManager &sources);

/// The expression of kind NameExpr or FieldExpr whose name begins at `offset`
/// of `file`, and the function that holds it; null if there is none.
struct NamedPlace {
  const FunctionDecl *function = nullptr;
  const Expr *expr = nullptr;
};
NamedPlace expressionAt(const Program &program, uint32_t file, uint32_t offset);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_SYMBOLOCCURRENCES_H
