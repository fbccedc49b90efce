// The Baker front end.
//
//   Diagnostics diagnostics;
//   auto program = parseAndCheck({"app.baker"}, diagnostics);
//   diagnostics.print(std::cerr, standardErrorHasColour());
//   if (!diagnostics.hasErrors())
//     auto module = lowerToIr(*program, diagnostics.sources(), context);

#ifndef KARAKAL_BAKER_LANG_FRONTEND_H
#define KARAKAL_BAKER_LANG_FRONTEND_H

#include "baker-lang/syntax/Declarations.h"
#include "support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace karakal::lang {

/// Parses all files, and what they import, as one program and analyzes it.
/// Imports are looked for beside the importing file, then in `importFolders`.
/// `given`: values of constants (`module.NAME`) that stand in the place of
/// those declared. What is wrong goes to `diagnostics`; the program is whole
/// only if there are no errors. Never null.
std::unique_ptr<Program>
parseAndCheck(const std::vector<std::string> &files, Diagnostics &diagnostics,
              const std::vector<std::string> &importFolders = {},
              const std::map<std::string, uint64_t> &given = {});

/// The program in the baker dialect, verified. Requires that analysis found no
/// errors. Loads the dialects that it needs into `context`. Without `hasTraces`
/// nothing remains of `trace`.
mlir::OwningOpRef<mlir::ModuleOp> lowerToIr(const Program &program,
                                            const SourceManager &sources,
                                            mlir::MLIRContext &context,
                                            bool hasTraces = false);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_FRONTEND_H
