// Limits of the channels towards the XScale core.
//
// The core is slow beside the engines, and packets that it must see may come at
// any rate: options, expired TTLs, unknown stations. So a channel towards the
// core never makes an engine wait. Each such channel has a bounded queue and a
// meter of its own, and a packet beyond them is dropped and counted. The queue
// is a share of the ring to the core, so that one channel cannot fill the ring
// for the others. The meter counts messages in fixed windows of time.
//
// Two words of scratch hold the state of a channel: the messages that wait, and
// number of the window << 16 | messages in it.

#ifndef KARAKAL_TARGET_IXP_CHIP_PUNTS_H
#define KARAKAL_TARGET_IXP_CHIP_PUNTS_H

#include "target-ixp/chip/MemoryMap.h"

#include <algorithm>

namespace karakal::target {

/// The state of channel 0 in scratch, before the drop counters [K].
constexpr uint32_t PuntStateBase = 0x3b20;
/// Channels with a state of their own; further ones share the last.
constexpr uint32_t PuntStateCount = 28;
static_assert(PuntStateBase + PuntStateCount * 8 == DropCounterBase);

constexpr uint32_t puntState(uint32_t number) {
  return PuntStateBase + 8 * std::min(number, PuntStateCount - 1);
}

/// Messages of a channel that may wait, with `count` channels in the program:
/// together no more than the smallest ring holds.
constexpr uint32_t PuntWaitingMax = 64;
constexpr uint32_t puntWaiting(uint32_t count) {
  uint32_t share = RingWordsMin / std::min(std::max(count, 1u), PuntStateCount);
  return std::min(PuntWaitingMax, share);
}

/// A window is 2^PuntWindowShift ticks of TIMESTAMP_LOW, of 16 cycles each
/// [K]. All contexts together cannot try 2^16 messages in that time.
constexpr uint32_t PuntWindowShift = 15;
constexpr uint64_t PuntWindowCycles = uint64_t(16) << PuntWindowShift;
constexpr uint32_t PuntPerWindowMax = 0xffff;

/// Returns the messages per window of a meter of `rate` messages a second,
/// with engines at `clock` Hz: at least one.
constexpr uint32_t puntPerWindow(double rate, double clock) {
  double messages = rate * double(PuntWindowCycles) / clock;
  return uint32_t(std::clamp(messages, 1.0, double(PuntPerWindowMax)));
}

/// The limits as the runtime takes them (runtime/punts.ll).
constexpr uint32_t puntLimits(uint32_t waiting, uint32_t perWindow) {
  return perWindow << 16 | waiting;
}

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_PUNTS_H
