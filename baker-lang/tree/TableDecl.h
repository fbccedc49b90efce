// The syntax tree: declared tables.

#ifndef KARAKAL_BAKER_LANG_TREE_TABLEDECL_H
#define KARAKAL_BAKER_LANG_TREE_TABLEDECL_H

#include "baker-lang/tree/Declarations.h"
#include "ir/dialect/MatchKind.h"

namespace karakal::lang {

/// A field of a table's key: `lpm u32 dst;`.
struct TableKeyField {
  Identifier kind; ///< as written; empty: exact
  TypeSyntax typeSyntax;
  Identifier name;

  // Set by analysis.
  ir::MatchKind match = ir::MatchKind::Exact;
  const Type *type = nullptr;
};

/// A value of an entry or of the default: `hop: 3`, `dst: 80 .. 90`.
struct TableValue {
  Identifier name; ///< empty: by position
  SourceRange range;
  ExprPtr first, last;
};

/// An entry that the program declares.
struct TableRow {
  SourceRange range;
  std::vector<TableValue> values;

  // Set by analysis: the arguments of the table's function `add`, and how many
  // of them are the key and the priority.
  std::vector<uint64_t> arguments;
  size_t keyCount = 0;
};

/// The name of a table is also the type of its entries.
struct TableDecl : DeclOf<DeclKind::Table> {
  explicit TableDecl(Identifier id)
      : DeclOf(id), record(std::make_unique<StructDecl>(id)) {
    record->table = this;
  }
  std::vector<TableKeyField> keys;
  std::unique_ptr<StructDecl> record; ///< the fields of the value
  ExprPtr size, limit;                ///< null if they are missing
  std::vector<TableValue> defaults;
  std::vector<TableRow> rows;
  bool isIncomplete = false; ///< a part did not parse

  // Set by analysis.
  std::string symbol;
  Scope *scope = nullptr;
  Progress progress = Progress::NotStarted;
  uint64_t sizeCount = 1, limitCount = 1; ///< entries
  std::vector<uint64_t> defaultBits;      ///< of all fields; empty: zeros
  /// `find`, `add` and so on. They have no bodies.
  std::vector<std::unique_ptr<FunctionDecl>> operations;
};

/// True for a pointer to an entry of a table.
bool isTableEntry(const Type *type);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_TABLEDECL_H
