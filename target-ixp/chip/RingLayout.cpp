// The scratch rings of a chip: their places, sizes and margins.

#include "target-ixp/chip/RingLayout.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/Rings.h"

#include <algorithm>
#include <string>

namespace karakal::target {
namespace {

constexpr uint32_t wordBytes = 4;
/// Channels of a program that is divided in two, one of them on a cycle.
constexpr uint32_t channelRingsMin = 2;
constexpr uint32_t channelRingsMax = RingFreeLast - RingFreeFirst + 1;

RingLoad loadOf(uint32_t ring, const ChipParameters &chip) {
  uint32_t contexts = appEngineCount(chip) * ContextCount;
  switch (ring) {
  case RingRx:
    return {ContextCount, RingMessageWords};
  case RingTx:
    return {contexts, RingMessageWords};
  case RingToXScale:
    return {contexts, 1};
  case RingFromXScale:
    return {1, 1};
  default: // those who take from it are on another engine
    return {std::max(contexts, 2 * ContextCount) - ContextCount, 1};
  }
}

/// The smallest ring whose margin holds `load`, of at least `words`.
Result<uint32_t> sizeFor(const RingLoad &load, uint32_t words,
                         const ChipParameters &chip) {
  uint32_t underWay = load.wordsUnderWay(chip);
  while (words < RingWordsMax && words / chip.ringFullPart < underWay)
    words *= 2;
  if (words / chip.ringFullPart >= underWay)
    return words;
  return makeError(
      "E-target-ixp-095",
      std::to_string(load.contexts) + " contexts that put messages of " +
          std::to_string(load.messageWords) + " words on a ring may have " +
          std::to_string(underWay) +
          " words under way; when the flag of the largest ring, " +
          std::to_string(RingWordsMax) + " words, comes on, " +
          std::to_string(RingWordsMax / chip.ringFullPart) +
          " are free (ring.full_part=" + std::to_string(chip.ringFullPart) +
          "): take a chip with fewer engines, a smaller ring.full_part or a "
          "smaller bus.inlet");
}

/// Gives each ring its place, the largest first, so that each lies at a
/// multiple of its size.
void place(std::vector<ScratchRing> &rings) {
  uint32_t next = 0;
  for (uint32_t words = RingWordsMax; words >= RingWordsMin; words /= 2)
    for (ScratchRing &ring : rings)
      if (ring.words == words) {
        ring.base = next;
        next += words * wordBytes;
      }
  KARAKAL_ASSERT(next <= ScratchRingsEnd, "the rings fit their part");
}

} // namespace

Result<std::vector<ScratchRing>> layoutRings(const ChipParameters &chip) {
  std::vector<ScratchRing> rings;
  uint32_t used = 0;
  for (uint32_t ring = 0; ring < RingFreeFirst; ++ring) {
    RingLoad load = loadOf(ring, chip);
    bool isWide = ring == RingRx || ring == RingTx;
    Result<uint32_t> words =
        sizeFor(load, isWide ? 2 * RingWordsMin : RingWordsMin, chip);
    if (!words)
      return words.error();
    rings.push_back({ring, 0, *words, load});
    used += *words * wordBytes;
  }
  RingLoad load = loadOf(RingFreeFirst, chip);
  Result<uint32_t> words = sizeFor(load, RingWordsMin, chip);
  if (!words)
    return words.error();
  uint32_t bytes = *words * wordBytes;
  // Bursts wait in front of Rx as well.
  ScratchRing &rx = rings[RingRx];
  Result<uint32_t> least = sizeFor(loadOf(RingRx, chip), RingWordsMin, chip);
  if (used + channelRingsMin * bytes > ScratchRingsEnd && least) {
    used -= (rx.words - *least) * wordBytes;
    rx.words = *least;
  }
  if (used + channelRingsMin * bytes > ScratchRingsEnd)
    return makeError("E-target-ixp-095",
                     "the rings of the runtime take " + std::to_string(used) +
                         " of " + std::to_string(ScratchRingsEnd) +
                         " bytes of scratch, and a ring for a channel " +
                         std::to_string(bytes) + " (ring.full_part=" +
                         std::to_string(chip.ringFullPart) +
                         "): take a chip with fewer engines, a smaller "
                         "ring.full_part or a smaller bus.inlet");
  uint32_t count = std::min(channelRingsMax, (ScratchRingsEnd - used) / bytes);
  for (uint32_t i = 0; i < count; ++i)
    rings.push_back({RingFreeFirst + i, 0, *words, load});
  place(rings);
  return rings;
}

ScratchRing scratchRing(uint32_t number, const ChipParameters &chip) {
  Result<std::vector<ScratchRing>> rings = layoutRings(chip);
  KARAKAL_ASSERT(rings && number < rings->size(),
                 "the chip has the ring, as checkIsTarget says");
  return (*rings)[number];
}

} // namespace karakal::target
