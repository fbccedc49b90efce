//===- Catalogue.h - ids of the front end's diagnostics ---------*- C++ -*-===//

#ifndef KARAKAL_BAKER_LANG_CATALOGUE_H
#define KARAKAL_BAKER_LANG_CATALOGUE_H

#include "support/Diagnostics.h"
#include "support/Error.h"

namespace karakal::lang {

/// The diagnostics of Catalogue.def by name; the value is the id's number.
enum class Code : unsigned {
#define DIAGNOSTIC(number, name, title) name = number,
#define WARNING(number, name, flag, isOn, title) name = number,
#include "baker-lang/Catalogue.def"
};

/// `E-baker-NNN`.
std::string idOf(Code code);
/// What is wrong in general.
const char *titleOf(Code code);

/// A diagnostic that is a warning.
struct WarningKind {
  Code code;
  const char *flag; ///< of `-Wflag`
  bool isOn;        ///< without being asked for
};
const std::vector<WarningKind> &warningKinds();

/// What the `-W` options say, each without its `-W`: `flag`, `no-flag`,
/// `error`, `error=flag` or `everything`. The order does not matter: `no-flag`
/// wins.
Result<WarningPolicy> warningPolicy(const std::vector<std::string> &options);

/// Adds the diagnostic `code` at `range`.
Diagnostic &report(Diagnostics &diagnostics, Code code, SourceRange range,
                   std::string message);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CATALOGUE_H
