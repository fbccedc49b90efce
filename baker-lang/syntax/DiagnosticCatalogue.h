// Ids of the front end's diagnostics.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_DIAGNOSTICCATALOGUE_H
#define KARAKAL_BAKER_LANG_SYNTAX_DIAGNOSTICCATALOGUE_H

#include "support/Diagnostics.h"
#include "support/Error.h"

namespace karakal::lang {

/// The diagnostics of DiagnosticCatalogue.def by name; the value is the id's
/// number.
enum class DiagId : unsigned {
#define DIAGNOSTIC(number, name, title) name = number,
#define WARNING(number, name, flag, byDefault, title) name = number,
#include "baker-lang/syntax/DiagnosticCatalogue.def"
};

/// `E-baker-NNN`.
std::string idText(DiagId id);

/// The state of a warning that no option mentions.
enum class WarningDefault { Off, On, Error };

/// A diagnostic that is a warning.
struct WarningKind {
  DiagId id;
  const char *flag; ///< of `-Wflag`
  WarningDefault byDefault;
};
const std::vector<WarningKind> &warningKinds();

/// The policy that the `-W` options select. Each option is without its `-W`:
/// `flag`, `no-flag`, `error`, `error=flag`, `no-error=flag`, `everything` or
/// `all`, which stands for the defaults. A flag can name a group: `unused`,
/// `truncation` or `mistakes`. The order does not matter:
/// an option that turns a flag off wins. An unknown flag is an error.
Result<WarningPolicy> warningPolicy(const std::vector<std::string> &options);

/// Adds the diagnostic `id` at `range`.
Diagnostic &report(Diagnostics &diagnostics, DiagId id, SourceRange range,
                   std::string message);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_DIAGNOSTICCATALOGUE_H
