// Whether programs can be compiled for a chip.

#include "target-ixp/chip/CheckTarget.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RingLayout.h"

#include <string>
#include <vector>

namespace karakal::target {

Status checkIsTarget(const ChipParameters &chip) {
  auto refuse = [](const std::string &what) {
    return makeError("E-target-ixp-094",
                     "programs cannot be compiled for this chip: " + what);
  };
  if (chip.meContexts != ContextCount)
    return refuse("its engines have " + std::to_string(chip.meContexts) +
                  " contexts, and code needs 8");
  if (chip.meCount != 4 && chip.meCount != 8 && chip.meCount != 16)
    return refuse("it has " + std::to_string(chip.meCount) +
                  " engines; their stacks are found in chips of 4, 8 or 16");
  if (chip.sramBytes < SramChannelBytes || chip.sramBytes % 4096 != 0)
    return refuse("sram.size must be " + std::to_string(SramChannelBytes) +
                  " bytes or more, in multiples of 4096");
  if (Result<std::vector<ScratchRing>> rings = layoutRings(chip); !rings)
    return rings.error();
  return success();
}

} // namespace karakal::target
