// The kinds of rings between engines.
//
// A channel that does not become a call is a ring. `baker.ring` and the image
// identify it by a number that also gives its kind:
//
//   0..15         scratch ring of that number. A message is one word, on the
//                 rings of Rx and Tx two. A ring-full flag shows that it is
//                 nearly full (RingLayout.h).
//   RingNeighbour next-neighbour ring, from an engine to the next one: 128
//                 words in registers of the engine that reads. A message is one
//                 word. It needs no command and so no wait.
//   RingContext   no ring: a context's message to itself, which stays in a
//                 register.
//   32..39        SRAM ring: entry `number - 31` of channel 0's queue array. A
//                 message is one word. `put` returns whether there was space.
//
// A message of one word is the first word of a message of two words, because
// the second is 0 between engines.

#ifndef KARAKAL_TARGET_IXP_CHIP_RINGS_H
#define KARAKAL_TARGET_IXP_CHIP_RINGS_H

#include "target-ixp/chip/MemoryMap.h"

namespace karakal::target {

constexpr uint32_t RingNeighbour = 16;
constexpr uint32_t RingContext = 17;
constexpr uint32_t RingSramFirst = 32;
constexpr uint32_t RingSramCount = 8;

/// The smallest size of the hardware, 512 << 0 [H]: space for several messages
/// from each context of the chip.
constexpr uint32_t SramRingWords = 512;
constexpr uint32_t SramRingChannel = 0;
/// Below the descriptors, aligned to the size [K].
constexpr uint32_t SramRingsBase = 0x8000;
static_assert(SramRingsBase + RingSramCount * SramRingWords * 4 <=
                  DescriptorBase,
              "rings end before the descriptors");

/// Ticks of the timestamp for which a context sleeps if it finds no message. So
/// the eight contexts of an idle engine poll once per 64 cycles [K].
constexpr uint32_t IdleTicks = 32;

/// How often a put on a ring that lies on a cycle finds it full before the
/// packet is dropped [K]: long enough for the receivers, if they run at all.
constexpr uint32_t RingTries = 1024;

/// A word of scratch. Bit n asks the engine of hardware number n to stop
/// between two messages (`--policy=power`, `--updates=exchange`) [K].
constexpr uint32_t EngineStopWord = 0x3b10;
static_assert(EngineStopWord > RxErrorsCounter &&
              EngineStopWord < DropCounterBase);
/// A word of scratch. Each context that stops because of the word above adds 1;
/// the core sets it to 0 before it asks an engine [K].
constexpr uint32_t StoppedContextsWord = 0x3b18;

static_assert(RingFreeLast < StatusRingCount,
              "each ring of a channel has a ring-full flag");
static_assert(RingCount <= RingNeighbour && RingContext < RingSramFirst,
              "the number of a ring tells its kind");
static_assert(FreeListEntry + RingSramCount < QueueArrayEntries,
              "the queue array has an entry for each SRAM ring");

constexpr bool isNeighbourRing(uint32_t ring) { return ring == RingNeighbour; }
constexpr bool isSramRing(uint32_t ring) {
  return ring >= RingSramFirst && ring < RingSramFirst + RingSramCount;
}
/// Whether the compiler may assign the ring to a channel.
constexpr bool isChannelRing(uint32_t ring) {
  return (ring >= RingFreeFirst && ring <= RingFreeLast) ||
         isNeighbourRing(ring) || isSramRing(ring);
}
/// The ring's entry of the queue array; entry 0 is the free list.
constexpr uint32_t sramRingEntry(uint32_t ring) {
  return ring - RingSramFirst + FreeListEntry + 1;
}
/// The ring's byte address within SRAM channel 0.
constexpr uint32_t sramRingBase(uint32_t ring) {
  return SramRingsBase + (ring - RingSramFirst) * SramRingWords * 4;
}

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_RINGS_H
