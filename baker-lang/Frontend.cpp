// The Baker front end.

#include "baker-lang/Frontend.h"

#include "baker-lang/lower/Lowering.h"
#include "baker-lang/sema/Sema.h"
#include "baker-lang/syntax/Parser.h"
#include "support/Error.h"

#include "mlir/IR/Verifier.h"

namespace karakal::lang {

std::unique_ptr<Program>
parseAndCheck(const std::vector<std::string> &files, Diagnostics &diagnostics,
              const std::vector<std::string> &importFolders,
              const std::map<std::string, uint64_t> &given) {
  auto program = std::make_unique<Program>();
  std::set<std::string> suspects;
  parseProgram(files, importFolders, *program, diagnostics, suspects);
  Sema(*program, diagnostics, suspects, given).run();
  return program;
}

mlir::OwningOpRef<mlir::ModuleOp> lowerToIr(const Program &program,
                                            const SourceManager &sources,
                                            mlir::MLIRContext &context,
                                            bool hasTraces) {
  auto module = Lowering(program, sources, context, hasTraces).run();
  KARAKAL_ASSERT(mlir::succeeded(mlir::verify(*module)),
                 "the front end made a module that does not verify");
  return module;
}

} // namespace karakal::lang
