#include "ir/analysis/GlobalsEnd.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "target-ixp/chip/ChipLayout.h"

using namespace mlir;

namespace karakal::ir {

uint32_t globalsEnd(ModuleOp module, target::Memory memory) {
  constexpr uint32_t bytesPerWord = 4;
  uint32_t end = target::globalsBegin(memory);
  for (auto global : module.getOps<GlobalOp>())
    if (std::optional<Placement> at = placementOf(global);
        at && at->memory == memory)
      end = std::max(end, uint32_t(at->address +
                                   bytesPerWord * wordCount(global.getType())));
  return end;
}

} // namespace karakal::ir
