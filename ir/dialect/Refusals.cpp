#include "ir/dialect/Refusals.h"

#include "mlir/IR/Builders.h"
#include "support/Assert.h"
#include "support/Refusal.h"

using namespace mlir;

namespace karakal::ir {

std::vector<std::string> refusalsOf(ModuleOp module) {
  std::vector<std::string> texts;
  if (auto list = module->getAttrOfType<ArrayAttr>(refusalsAttrName))
    for (auto text : list.getAsRange<StringAttr>())
      texts.push_back(text.str());
  return texts;
}

void setRefusals(ModuleOp module, const std::vector<std::string> &texts) {
  KARAKAL_ASSERT(texts.size() < INT32_MAX - FirstRefusal,
                 "each text has a number that is positive");
  if (texts.empty())
    return;
  llvm::SmallVector<llvm::StringRef> list(texts.begin(), texts.end());
  module->setAttr(refusalsAttrName, Builder(module).getStrArrayAttr(list));
}

LogicalResult verifyRefusals(Operation *op, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  if (list && llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return success();
  return op->emitOpError("'baker.refusals' must be a list of texts");
}

} // namespace karakal::ir
