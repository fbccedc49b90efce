// The Baker text of a table.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_TABLETEXT_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_TABLETEXT_H

#include "baker-lang/tables/TableStructure.h"

#include "support/Error.h"

namespace karakal::lang {

/// The module of the generated text.
inline constexpr const char *tableModuleName = "t";

/// Fills in the templates of a structure, which are in `folder`.
/// Errors: E-baker-408 a template cannot be read.
Result<std::string> tableText(ir::TableOp table,
                              const TableStructure &structure,
                              const std::string &folder);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_TABLETEXT_H
