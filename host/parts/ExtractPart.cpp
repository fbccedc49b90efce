// A part of a program in the baker dialect.

#include "host/parts/ExtractPart.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "support/Assert.h"

using namespace mlir;
using func::FuncOp;

namespace karakal::host {

static FuncOp declarationOf(FuncOp function) {
  auto declaration = cast<FuncOp>(function->cloneWithoutRegions());
  declaration.setPrivate();
  return declaration;
}

OwningOpRef<ModuleOp> extractPart(ModuleOp baker, ArrayRef<FuncOp> functions) {
  KARAKAL_ASSERT(!functions.empty(), "a part has an entry point");
  llvm::SetVector<FuncOp> reached = ir::reachableFrom(functions);
  auto part = cast<ModuleOp>(baker->cloneWithoutRegions());
  part.getBodyRegion().emplaceBlock();
  for (Operation &op : *baker.getBody()) {
    auto function = dyn_cast<FuncOp>(op);
    if (!function || reached.contains(function))
      part.getBody()->push_back(op.clone());
    else if (ir::isPpf(function))
      part.getBody()->push_back(declarationOf(function));
  }
  return part;
}

} // namespace karakal::host
