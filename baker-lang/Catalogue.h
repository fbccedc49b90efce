//===- Catalogue.h - ids of the front end's diagnostics ---------*- C++ -*-===//

#ifndef KARAKAL_BAKER_LANG_CATALOGUE_H
#define KARAKAL_BAKER_LANG_CATALOGUE_H

#include "support/Diagnostics.h"

namespace karakal::lang {

/// The diagnostics of Catalogue.def by name; the value is the id's number.
enum class Code : unsigned {
#define DIAGNOSTIC(number, severity, name, title) name = number,
#include "baker-lang/Catalogue.def"
#undef DIAGNOSTIC
};

/// `E-baker-NNN`.
std::string idOf(Code code);
/// What is wrong in general.
const char *titleOf(Code code);

/// Adds the diagnostic `code` at `range`.
Diagnostic &report(Diagnostics &diagnostics, Code code, SourceRange range,
                   std::string message);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CATALOGUE_H
