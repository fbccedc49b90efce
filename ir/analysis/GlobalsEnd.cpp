#include "ir/analysis/GlobalsEnd.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"

using namespace mlir;

namespace karakal::ir {

static uint32_t globalsBegin(StringRef memory) {
  return memory == "scratch" ? target::ScratchGlobalsBase
         : memory == "sram0" ? target::Sram0GlobalsBase
         : memory == "sram1" ? target::Sram1GlobalsBase
         : memory == "dram"  ? target::DramGlobalsBase
                             : 0;
}

uint32_t globalsEnd(ModuleOp module, StringRef memory) {
  constexpr uint32_t bytesPerWord = 4;
  uint32_t end = globalsBegin(memory);
  for (auto global : module.getOps<GlobalOp>())
    if (std::optional<Place> at = placeOf(global); at && at->memory == memory)
      end = std::max(end, uint32_t(at->address +
                                   bytesPerWord * wordCount(global.getType())));
  return end;
}

} // namespace karakal::ir
