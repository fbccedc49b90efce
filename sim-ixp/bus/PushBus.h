// A push bus and its arbiter.
//
// A unit announces a transfer as soon as it knows when the data will be ready.
// The bus is granted in the order of readiness, and a transfer that has begun
// is not interrupted: whenever the bus is free, the transfer that has been
// ready for the longest time begins. So the bus is never idle while data wait
// for it, and data that are not ready yet hold up nothing.
//
// Of transfers that become ready in the same cycle, the one announced first
// goes first. No document at hand describes the chip's arbiter, so the order is
// this project's choice.
//
// A transfer that is announced later can be ready earlier, and then delays
// those after it. So the end of a transfer is an estimate until its first
// cycle, and can only move to later cycles. The transfers wait in the order of
// readiness; a new one is almost always among the last.

#ifndef KARAKAL_SIM_IXP_BUS_PUSHBUS_H
#define KARAKAL_SIM_IXP_BUS_PUSHBUS_H

#include "sim-ixp/bus/Command.h"
#include "support/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace karakal::sim {

/// One bus. Transfers are commands; Command::transferEnd is the cycle after the
/// last word, as far as it is known.
class PushBus {
public:
  /// Announces a transfer of `cycles` that is ready at `ready`, which is not in
  /// the past. Sets its end, and moves the ends of those that it delays.
  void announce(Command &command, uint64_t ready, uint64_t cycles) {
    KARAKAL_ASSERT(cycles > 0, "a transfer takes no time");
    busy += cycles;
    if (__builtin_expect(count > indexMask, false))
      grow();
    size_t place = count++;
    while (place > 0 && at(place - 1).ready > ready) {
      at(place) = at(place - 1);
      --place;
    }
    at(place) = {&command, ready, cycles};
    uint64_t free = place > 0 ? at(place - 1).command->transferEnd : lastEnd;
    command.transferEnd = std::max(ready, free) + cycles;
    if (__builtin_expect(place + 1 != count, false))
      delayFrom(place + 1);
  }

  /// Removes the first transfer, whose end has come.
  void finish(const Command &command) {
    KARAKAL_ASSERT(count > 0 && at(0).command == &command,
                   "transfers end in the order in which they are granted");
    lastEnd = command.transferEnd;
    first = (first + 1) & indexMask;
    --count;
  }

  /// Cycles of the transfers announced so far.
  uint64_t busyCycles() const { return busy; }

private:
  struct Transfer {
    Command *command = nullptr;
    uint64_t ready = 0;
    uint64_t cycles = 0;
  };

  Transfer &at(size_t place) { return slots[(first + place) & indexMask]; }

  /// Moves the ends of the transfers from `place` on, until one is not delayed.
  void delayFrom(size_t place) {
    for (; place < count; ++place) {
      Transfer &transfer = at(place);
      uint64_t &end = transfer.command->transferEnd;
      uint64_t free = at(place - 1).command->transferEnd;
      uint64_t newEnd = std::max(transfer.ready, free) + transfer.cycles;
      KARAKAL_ASSERT(newEnd >= end, "a transfer ends earlier than announced");
      if (newEnd == end)
        return;
      end = newEnd;
    }
  }

  [[gnu::cold]] void grow() {
    std::vector<Transfer> larger(2 * slots.size());
    for (size_t place = 0; place < count; ++place)
      larger[place] = at(place);
    slots = std::move(larger);
    indexMask = slots.size() - 1;
    first = 0;
  }

  /// A circular buffer in the order of readiness; its size is a power of two.
  std::vector<Transfer> slots = std::vector<Transfer>(64);
  size_t indexMask = slots.size() - 1;
  size_t first = 0;
  size_t count = 0;
  /// The end of the last transfer removed.
  uint64_t lastEnd = 0;
  uint64_t busy = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_PUSHBUS_H
