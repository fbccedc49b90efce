// Ring numbers for the channels between aggregates.

#include "aggregation/formation/RingAllocator.h"
#include "support/Error.h"

namespace karakal::agg {

RingAllocator::RingAllocator(const target::ChipParameters &chip)
    : scratchEnd(uint32_t(target::layoutRings(chip)->size())) {}

std::optional<uint32_t> RingAllocator::take(bool wantsSram) {
  if (!wantsSram && scratchNext < scratchEnd)
    return scratchNext++;
  if (target::isSramRing(sramNext))
    return sramNext++;
  return std::nullopt;
}

std::optional<uint32_t> RingAllocator::ringOf(llvm::StringRef aggregate,
                                              RingUse use, bool wantsSram) {
  auto &rings = use == RingUse::Cycle ? cycles : inputs;
  auto [at, isNew] = rings.try_emplace(aggregate);
  if (isNew)
    at->second = take(wantsSram);
  KARAKAL_ASSERT(!at->second || target::isChannelRing(*at->second),
                 "a channel's ring is one of those free for channels");
  return at->second;
}

} // namespace karakal::agg
