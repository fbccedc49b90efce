#include "ir/analysis/GlobalsEnd.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/MemoryMap.h"

using namespace mlir;

namespace karakal::ir {

uint32_t globalsEnd(ModuleOp module, target::Memory memory) {
  constexpr uint32_t bytesPerWord = 4;
  uint32_t end = target::globalsBegin(memory);
  for (auto global : module.getOps<GlobalOp>())
    if (std::optional<Placement> at = placementOf(global);
        at && at->memory == memory)
      end = std::max(
          end, uint32_t(at->address + bytesPerWord * placedWords(global)));
  return end;
}

uint32_t copiesOfLocal(ModuleOp module, target::Memory memory) {
  uint32_t engines =
      memory == target::Memory::Local ? 1 : uint32_t(chipOf(module).meCount);
  return engines * target::ContextCount;
}

uint64_t placedWords(GlobalOp global) {
  uint64_t words = wordCount(global.getType());
  std::optional<Placement> at = placementOf(global);
  if (!at || !isLocal(global))
    return words;
  auto module = global->getParentOfType<ModuleOp>();
  uint64_t others = copiesOfLocal(module, at->memory) - 1;
  return words + others * numberOf(global, strideAttrName).value_or(0);
}

} // namespace karakal::ir
