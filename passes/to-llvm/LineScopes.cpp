// Names the file of each source line.
//
//   llvm.add … loc("b.baker":7:3)        in a function of a.baker
//   // becomes
//   llvm.add … loc(fused<#di_lexical_block_file<scope = #me_main,
//                        file = <"b.baker">>>["b.baker":7:3])
//
// LLVM takes the file of a line from the scope of its location. The scope is
// the function, whose file is that of its first line; after inlining it also
// holds lines of files that the program imports.

#include "passes/Passes.h"
#include "support/Error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_LINESCOPES
#include "passes/Passes.h.inc"

namespace {

namespace path = llvm::sys::path;

/// The subprogram that ensure-debug-info-scope-on-llvm-func gave to `function`.
LLVM::DISubprogramAttr subprogramOf(LLVM::LLVMFuncOp function) {
  auto location = dyn_cast<FusedLoc>(function.getLoc());
  return location
             ? dyn_cast_or_null<LLVM::DISubprogramAttr>(location.getMetadata())
             : LLVM::DISubprogramAttr();
}

class LineScopes : public impl::LineScopesBase<LineScopes> {
public:
  using LineScopesBase::LineScopesBase;

  void runOnOperation() override {
    getOperation().walk([&](LLVM::LLVMFuncOp function) {
      if (LLVM::DISubprogramAttr scope = subprogramOf(function))
        nameFiles(function, scope);
    });
  }

private:
  void nameFiles(LLVM::LLVMFuncOp function, LLVM::DISubprogramAttr scope) {
    KARAKAL_ASSERT(scope.getFile(), "a function's scope has a file");
    function.getBody().walk([&](Operation *op) {
      auto line = dyn_cast<FileLineColLoc>(op->getLoc());
      if (!line)
        return;
      StringRef file = line.getFilename().getValue();
      StringRef name = path::filename(file), folder = path::parent_path(file);
      if (name == scope.getFile().getName() &&
          folder == scope.getFile().getDirectory())
        return;
      auto inFile = LLVM::DILexicalBlockFileAttr::get(
          scope, LLVM::DIFileAttr::get(&getContext(), name, folder),
          /*discriminator=*/0);
      op->setLoc(FusedLoc::get({line}, inFile, &getContext()));
      ++lines;
    });
  }
};

} // namespace

} // namespace karakal::passes
