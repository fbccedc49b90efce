// The scratch rings of a chip: their places, sizes and margins.
//
// A context tests the ring-full flag and then puts. Puts that have passed the
// test when the flag comes on are under way, and the ring must hold them: it
// has no other protection. At most so many messages are under way:
//
//   one for each context that may put, as a context waits until its put has
//   been taken;
//   those that scratch has taken from their contexts and not yet stored, or
//   stored while the flag followed: as many as its inlet holds (bus.inlet);
//   and one of the XScale core: it puts until a ring is full, but when the
//   flag is on no context puts.
//
// The flag leaves 1/ring.full_part of a ring free. So a ring's size follows
// from the chip: the smallest of the hardware whose margin holds the messages
// under way, and at least 256 words. Rx and Tx have at least 512 if there is
// room, because bursts wait there. All rings lie in the first 12 KB of scratch,
// the largest first. What the others leave is for channels between engines:
// six rings on the ixp2400, two on the ixp2800, where 112 contexts may put.

#ifndef KARAKAL_TARGET_IXP_CHIP_RINGLAYOUT_H
#define KARAKAL_TARGET_IXP_CHIP_RINGLAYOUT_H

#include "target-ixp/chip/ChipParameters.h"

#include <cstdint>
#include <vector>

namespace karakal::target {

/// Who may put on a ring at the same time.
struct RingLoad {
  uint32_t contexts = 0;
  uint32_t messageWords = 0;
  /// The largest number of words of puts under way on `chip`.
  uint32_t wordsUnderWay(const ChipParameters &chip) const {
    return (contexts + static_cast<uint32_t>(chip.busInlet)) * messageWords;
  }
};

/// A scratch ring.
struct ScratchRing {
  uint32_t number = 0;
  uint32_t base = 0;  ///< byte in scratch
  uint32_t words = 0; ///< size
  RingLoad load;
};

/// The rings of a chip by number: those of the runtime, then those for
/// channels. E-target-ixp-095: they cannot be made large enough; the message
/// has the number of contexts and the sizes.
Result<std::vector<ScratchRing>> layoutRings(const ChipParameters &chip);

/// Ring `number` of a chip for which programs can be compiled
/// (checkIsTarget), or the ring of the default chip.
ScratchRing scratchRing(uint32_t number, const ChipParameters &chip = {});

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_RINGLAYOUT_H
