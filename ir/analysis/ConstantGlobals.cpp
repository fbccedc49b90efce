#include "ir/analysis/ConstantGlobals.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Services.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace karakal::ir {

void markConstantGlobals(ModuleOp module) {
  DenseSet<Operation *> written;
  bool isKnown = true;
  module.walk([&](Operation *op) {
    if (!isa<StoreOp, StoreWordsOp, AtomicOp>(op))
      return;
    GlobalOp global = globalOf(op->getOperands().back());
    isKnown &= bool(global);
    written.insert(global);
  });
  for (auto global : module.getOps<GlobalOp>())
    if (isKnown && !written.contains(global))
      global->setAttr(constantAttrName, UnitAttr::get(module.getContext()));
}

} // namespace karakal::ir
