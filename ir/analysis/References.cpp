#include "ir/analysis/References.h"

#include "ir/dialect/Services.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace karakal::ir {

GlobalOp globalOf(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (auto element = dyn_cast<ElementOp>(op))
      ref = element.getArray();
    else if (auto field = dyn_cast<FieldOp>(op))
      ref = field.getRecord();
    else if (auto root = dyn_cast<GlobalRefOp>(op))
      return op->getParentOfType<ModuleOp>().lookupSymbol<GlobalOp>(
          root.getGlobal());
    else
      break;
  }
  return {};
}

GlobalOp writtenBy(Operation &op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return globalOf(store.getRef());
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return globalOf(atomic.getRef());
  return {};
}

Type pointeeOf(Value ref) { return cast<RefType>(ref.getType()).getPointee(); }

llvm::SetVector<func::FuncOp> reachableFrom(ArrayRef<func::FuncOp> roots) {
  llvm::SetVector<func::FuncOp> found(roots.begin(), roots.end());
  if (roots.empty())
    return found;
  SymbolTable symbols(roots.front()->getParentOfType<ModuleOp>());
  for (size_t i = 0; i < found.size(); ++i) {
    func::FuncOp function = found[i];
    function.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        found.insert(callee);
    });
  }
  return found;
}

} // namespace karakal::ir
