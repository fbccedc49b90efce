// The templates of which the text of a table is made.

#ifndef KARAKAL_BAKER_LANG_TABLES_TEXT_TEMPLATES_H
#define KARAKAL_BAKER_LANG_TABLES_TEXT_TEMPLATES_H

#include "baker-lang/tables/TableStructure.h"

#include <string>
#include <vector>

namespace karakal::lang {

/// The names of the files in `runtime/tables/`, without `.template`, in their
/// order.
std::vector<std::string> templatesOf(ir::TableOp table,
                                     const TableStructure &structure);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TABLES_TEXT_TEMPLATES_H
