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
//
// The values of variables become LLVM's:
//
//   baker.variable "x" "u16" 12 = %v : i16
//   // becomes
//   llvm.intr.dbg.value #di_local_variable<name = "x", …> = %v : i16

#include "passes/Passes.h"
#include "support/Error.h"

#include "ir/dialect/Services.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
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
    getOperation().walk([&](ir::VariableOp variable) {
      keep(variable);
      variable.erase();
    });
  }

private:
  LLVM::DIFileAttr fileAttr(StringRef file) {
    return LLVM::DIFileAttr::get(&getContext(), path::filename(file),
                                 path::parent_path(file));
  }
  LLVM::DIFileAttr fileOf(Operation *op, LLVM::DISubprogramAttr scope) {
    auto line = op->getLoc()->findInstanceOf<FileLineColLoc>();
    return line ? fileAttr(line.getFilename()) : scope.getFile();
  }

  void keep(ir::VariableOp variable) {
    LLVM::DISubprogramAttr scope =
        subprogramOf(variable->getParentOfType<LLVM::LLVMFuncOp>());
    if (!scope)
      return;
    unsigned bits = variable.getValue().getType().getIntOrFloatBitWidth();
    auto type = LLVM::DIBasicTypeAttr::get(
        &getContext(), llvm::dwarf::DW_TAG_base_type, variable.getType(), bits,
        variable.getType().starts_with("s") ? llvm::dwarf::DW_ATE_signed
                                            : llvm::dwarf::DW_ATE_unsigned);
    auto described = LLVM::DILocalVariableAttr::get(
        scope, variable.getName(), fileOf(variable, scope), variable.getLine(),
        /*arg=*/0, /*alignInBits=*/0, type);
    OpBuilder(variable).create<LLVM::DbgValueOp>(variable.getLoc(),
                                                 variable.getValue(), described,
                                                 LLVM::DIExpressionAttr());
  }

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
      auto inFile = LLVM::DILexicalBlockFileAttr::get(scope, fileAttr(file),
                                                      /*discriminator=*/0);
      op->setLoc(FusedLoc::get({line}, inFile, &getContext()));
      ++lines;
    });
  }
};

} // namespace

} // namespace karakal::passes
