// The chip that a module is compiled for.

#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipLayout.h"

using namespace mlir;

namespace karakal::ir {

StringRef targetOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  KARAKAL_ASSERT(module, "what is compiled is part of a module");
  auto name = module->getAttrOfType<StringAttr>(targetAttrName);
  return name ? name.getValue() : StringRef(defaultTargetName);
}

target::ChipParameters chipOf(Operation *op) {
  StringRef description = targetOf(op);
  auto chip = target::parseChip({description.data(), description.size()});
  KARAKAL_ASSERT(bool(chip), "the verifier accepted the chip");
  return *chip;
}

uint64_t sramBytesOf(Operation *op) { return chipOf(op).sramBytes; }

void setTarget(ModuleOp module, StringRef description) {
  module->setAttr(targetAttrName,
                  StringAttr::get(module.getContext(), description));
}

LogicalResult verifyTarget(Operation *op, Attribute attribute) {
  auto text = dyn_cast<StringAttr>(attribute);
  if (!text)
    return op->emitOpError("'baker.target' must be the name of a chip");
  auto chip = target::parseChip(text.getValue().str());
  if (!chip)
    return op->emitOpError() << "'baker.target': " << chip.error().message;
  if (Status possible = target::checkIsTarget(*chip); !possible)
    return op->emitOpError() << "'baker.target': " << possible.error().message;
  return mlir::success();
}

} // namespace karakal::ir
