// Ring numbers for the channels between aggregates.

#ifndef KARAKAL_AGGREGATION_FORMATION_RINGALLOCATOR_H
#define KARAKAL_AGGREGATION_FORMATION_RINGALLOCATOR_H

#include "target-ixp/chip/RingLayout.h"
#include "target-ixp/chip/Rings.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace karakal::agg {

/// The purpose of an aggregate's ring.
enum class RingUse {
  Cycle, ///< a channel on a cycle inside the aggregate
  Input, ///< a channel from another aggregate or from the XScale core
};

/// Gives each aggregate at most one ring for each use. Scratch rings are given
/// out first, in ascending order, then SRAM rings.
class RingAllocator {
public:
  /// The rings of `chip`, which has fewer of scratch the more contexts it has.
  explicit RingAllocator(const target::ChipParameters &chip = {});

  /// Returns the ring of `aggregate` for `use`, the same at each call, or
  /// nothing if no ring is free. `wantsSram` asks for an SRAM ring even while
  /// scratch rings are free; only the first call uses it.
  std::optional<uint32_t> ringOf(llvm::StringRef aggregate, RingUse use,
                                 bool wantsSram = false);

private:
  std::optional<uint32_t> take(bool wantsSram);

  llvm::StringMap<std::optional<uint32_t>> cycles, inputs;
  uint32_t scratchNext = target::RingFreeFirst;
  uint32_t scratchEnd;
  uint32_t sramNext = target::RingSramFirst;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_RINGALLOCATOR_H
