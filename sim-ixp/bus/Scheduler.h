// The global event queue.
//
// Everything that happens later than now is an event: a cycle, a target, a
// small code and an argument. Events of one cycle run in the order in which
// they were scheduled, so that a run depends on nothing but its input.
//
// How a unit uses it: derive from EventTarget, call
// `scheduler.schedule(cycle, this, code, argument)` and do the work in
// `onEvent`. A unit without work has no event and costs nothing; time jumps
// over cycles without events. One cycle is one microengine clock cycle.
//
// The queue is a wheel of `wheelSize` one-cycle slots (a bitmap finds the next
// slot in use). What lies further ahead waits in a second wheel, whose slots
// are spans of `spanCycles`, and beyond that in an ordered overflow; both are
// emptied into the wheel, in order, before it takes anything of the same cycles
// itself. Nodes come from a pool that grows to the most events ever pending and
// then stays.

#ifndef KARAKAL_SIM_IXP_BUS_SCHEDULER_H
#define KARAKAL_SIM_IXP_BUS_SCHEDULER_H

#include "support/Error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace karakal::sim {

/// What an event wakes.
class EventTarget {
public:
  virtual ~EventTarget() = default;
  /// `cycle` is the scheduler's now; `code` and `argument` are what the target
  /// gave to `schedule`.
  virtual void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) = 0;
};

/// The event queue and the chip's clock.
class Scheduler {
public:
  /// No event: later than any cycle.
  static constexpr uint64_t never = ~uint64_t{0};

  /// The cycle of the event that runs, or that of the engine that acts.
  uint64_t now() const { return currentCycle; }

  /// Puts an event at `cycle`, which must not lie before now().
  void schedule(uint64_t cycle, EventTarget *target, uint32_t code,
                uint64_t argument) {
    uint32_t number = freeNodes;
    if (__builtin_expect(number == none || cycle < currentCycle ||
                             cycle - wheelBase >= wheelSize,
                         false))
      return scheduleSlowly(cycle, target, code, argument);
    Node &node = nodes[number];
    freeNodes = node.next;
    node = {target, argument, none, code, static_cast<uint32_t>(cycle)};
    appendToWheel(cycle % wheelSize, number);
    earliestCycle = std::min(earliestCycle, cycle);
  }

  /// Cycle of the earliest event, `never` if there is none.
  uint64_t nextCycle() const { return earliestCycle; }

  /// Moves the clock without running an event (engines act between events);
  /// `cycle` must not lie after nextCycle().
  void advanceTo(uint64_t cycle) { currentCycle = cycle; }

  /// Moves the clock to the earliest event, which there must be, and runs it.
  void runNext() {
    currentCycle = earliestCycle;
    // The window moves by whole spans, which keeps what lies far ahead out of
    // the common path.
    if (__builtin_expect(currentCycle >= wheelBase + spanCycles, false))
      refill();
    uint32_t index = currentCycle % wheelSize;
    Slot &slot = wheel[index];
    uint32_t number = slot.first;
    Node &node = nodes[number];
    const Node event = node;
    slot.first = event.next;
    node.next = freeNodes;
    freeNodes = number;
    if (event.next == none) {
      uint64_t rest = used[index / 64] &= ~(uint64_t{1} << (index % 64));
      // Slots in front of this one belong to the next turn of the wheel.
      rest &= ~uint64_t{0} << (index % 64);
      if (__builtin_expect(rest != 0, true))
        earliestCycle = currentCycle - index % 64 + __builtin_ctzll(rest);
      else
        findEarliest(currentCycle);
    }
    event.target->onEvent(currentCycle, event.code, event.argument);
  }

  /// Number of events pending.
  uint64_t pendingCount() const;

private:
  /// Longer than most waits inside the chip, and small enough for the host's
  /// first cache.
  static constexpr uint32_t wheelSize = 256;
  /// Full queues and frames on the wire lie in the next spans.
  static constexpr uint32_t spanCycles = 64;
  static constexpr uint32_t spanCount = 512;
  /// The number of no node.
  static constexpr uint32_t none = ~0u;
  struct Node {
    EventTarget *target;
    uint64_t argument;
    uint32_t next;
    uint32_t code;
    uint32_t cycle; ///< its low bits
  };
  /// A list in the order of scheduling; `last` means nothing if it is empty.
  struct Slot {
    uint32_t first = none;
    uint32_t last = 0;
  };

  [[gnu::cold, noreturn]] static void refusePast();
  [[gnu::cold]] void growNodes();
  void append(Slot &slot, uint32_t number) {
    bool isEmpty = slot.first == none;
    uint32_t &link =
        __builtin_unpredictable(isEmpty) ? slot.first : nodes[slot.last].next;
    link = number;
    slot.last = number;
  }
  void appendToWheel(uint32_t index, uint32_t number) {
    append(wheel[index], number);
    used[index / 64] |= uint64_t{1} << (index % 64);
  }
  void appendToSpan(uint64_t span, uint32_t number) {
    append(spans[span % spanCount], number);
    ++inSpans;
  }
  [[gnu::noinline]] void scheduleSlowly(uint64_t cycle, EventTarget *target,
                                        uint32_t code, uint64_t argument);
  void scheduleLater(uint64_t cycle, uint32_t number);
  [[gnu::noinline]] void refill();
  [[gnu::noinline]] void findEarliest(uint64_t from);
  uint64_t earliestOfSpans() const;

  uint64_t currentCycle = 0;
  uint64_t earliestCycle = never;
  /// Cycles [wheelBase, wheelBase + wheelSize) live in the wheel, a multiple of
  /// the span; those up to `spanCount` spans behind wheelBase in `spans`.
  uint64_t wheelBase = 0;
  uint64_t inSpans = 0;
  uint64_t laterCount = 0;
  uint32_t freeNodes = none;
  std::vector<Node> nodes;
  std::array<Slot, wheelSize> wheel;
  std::array<Slot, spanCount> spans;
  std::array<uint64_t, wheelSize / 64> used{};
  std::map<uint64_t, Slot> later;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_SCHEDULER_H
