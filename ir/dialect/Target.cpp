// The chip that a module is compiled for, and other attributes of modules.

#include "ir/dialect/Target.h"
#include "mlir/IR/Builders.h"
#include "support/Assert.h"
#include "support/Refusal.h"
#include "target-ixp/chip/CheckTarget.h"
#include "target-ixp/table/HashSecret.h"

using namespace mlir;

namespace karakal::ir {

static ModuleOp moduleOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  KARAKAL_ASSERT(module, "what is compiled is part of a module");
  return module;
}

StringRef targetOf(Operation *op) {
  auto name = moduleOf(op)->getAttrOfType<StringAttr>(targetAttrName);
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

std::optional<target::HashKey> ownHashMultiplierOf(Operation *op) {
  auto digits = moduleOf(op)->getAttrOfType<StringAttr>(hashMultiplierAttrName);
  return digits ? target::readHashMultiplier(digits.str()) : std::nullopt;
}

void setHashMultiplier(ModuleOp module, target::HashKey multiplier) {
  module->setAttr(
      hashMultiplierAttrName,
      StringAttr::get(module.getContext(), target::hexDigitsOf(multiplier)));
}

LogicalResult verifyHashMultiplier(Operation *op, Attribute value) {
  auto digits = dyn_cast<StringAttr>(value);
  auto multiplier = digits ? target::readHashMultiplier(digits.str())
                           : std::optional<target::HashKey>();
  constexpr uint64_t mask48 = (uint64_t(1) << 48) - 1;
  if (multiplier && (multiplier->low & mask48) != 0)
    return mlir::success();
  return op->emitOpError("'baker.hash_multiplier' must have 32 hexadecimal "
                         "digits, of which the last 12 are not all 0");
}

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
    return mlir::success();
  return op->emitOpError("'baker.refusals' must be a list of texts");
}

} // namespace karakal::ir
