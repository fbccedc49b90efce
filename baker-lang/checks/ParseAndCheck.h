// Parses and checks a Baker program.
//
//   Diagnostics diagnostics;
//   auto program = parseAndCheck({"app.baker"}, diagnostics);
//   printDiagnostics(diagnostics, std::cerr, standardErrorHasColour());
//   if (!diagnostics.hasErrors())
//     auto module = lowerToIr(*program, diagnostics.sources(), context);

#ifndef KARAKAL_BAKER_LANG_CHECKS_PARSEANDCHECK_H
#define KARAKAL_BAKER_LANG_CHECKS_PARSEANDCHECK_H

#include "baker-lang/syntax/SourceText.h"
#include "baker-lang/tree/Program.h"
#include "support/Diagnostics.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace karakal::lang {

struct ParseOptions {
  /// Searched for imports after the folder of the importing file.
  std::vector<std::string> importFolders;
  /// Values by name (`module.NAME`) that replace the values of constants.
  std::map<std::string, uint64_t> constantOverrides;
  /// Taken instead of the files at their paths.
  SourceTexts texts = {};
};

/// Parses all files and their imports as one program, and analyzes it. Reports
/// errors and warnings to `diagnostics`. The program is complete only if there
/// are no errors. Never null.
std::unique_ptr<Program> parseAndCheck(const std::vector<std::string> &files,
                                       Diagnostics &diagnostics,
                                       const ParseOptions &options = {});

/// Parses and checks a text of declarations that receives no packets. `name`
/// names it in messages.
std::unique_ptr<Program> parseLibraryText(const std::string &name,
                                          const std::string &text,
                                          Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_CHECKS_PARSEANDCHECK_H
