// The event queue and the chip's clock.
//
// Everything that happens later than now is an event: a cycle, a target, a
// small code and an argument. Events of the same cycle run in the order in
// which they were scheduled, so that a run depends on its input alone.
//
// A unit derives from EventTarget, calls
// `scheduler.schedule(cycle, this, code, argument)` and does the work in
// `onEvent`. An idle unit has no event and costs nothing; time jumps over
// cycles without events. One cycle is one clock cycle of the microengines.
//
// The queue is a timing wheel of `wheelSize` slots of one cycle; a bitmap finds
// the next slot in use. Later events wait in a second wheel, whose slots are
// spans of `spanCycles`, and still later ones in an ordered map. Both are
// emptied into the first wheel, in order, before it takes an event of the same
// cycles itself. Nodes come from a pool that grows to the largest number of
// pending events and then stays.

#ifndef KARAKAL_SIM_IXP_BUS_SCHEDULER_H
#define KARAKAL_SIM_IXP_BUS_SCHEDULER_H

#include "support/Error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

/// A condition that the host cannot predict; only Clang can be told so.
#ifdef __clang__
#define KARAKAL_UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define KARAKAL_UNPREDICTABLE(condition) (condition)
#endif

namespace karakal::sim {

/// The receiver of an event.
class EventTarget {
public:
  virtual ~EventTarget() = default;
  /// `cycle` is the scheduler's now; `code` and `argument` are those passed to
  /// `schedule`.
  virtual void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) = 0;
};

/// The event queue and the chip's clock.
class Scheduler {
public:
  /// Later than any cycle.
  static constexpr uint64_t never = ~uint64_t{0};

  /// The cycle of the current event, or of the engine that acts.
  uint64_t now() const { return currentCycle; }

  /// Adds an event at `cycle`, which must not be before now().
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

  /// Moves the clock without running an event, for engines, which act between
  /// events. `cycle` must not be after nextCycle().
  void advanceTo(uint64_t cycle) { currentCycle = cycle; }

  /// Moves the clock to the earliest event and runs it. There must be one.
  void runNext() {
    currentCycle = earliestCycle;
    // The window moves by whole spans, so that the common path need not look at
    // distant events.
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
      // Earlier slots of the word belong to the next revolution of the wheel.
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
  /// Longer than most latencies inside the chip, and small enough for the
  /// host's first-level cache.
  static constexpr uint32_t wheelSize = 256;
  /// Long queues and frames on the wire end within the spans.
  static constexpr uint32_t spanCycles = 64;
  static constexpr uint32_t spanCount = 512;
  /// No node.
  static constexpr uint32_t none = ~0u;
  struct Node {
    EventTarget *target;
    uint64_t argument;
    uint32_t next;
    uint32_t code;
    uint32_t cycle; ///< low 32 bits
  };
  /// A list in the order of scheduling; `last` is valid if it is not empty.
  struct Slot {
    uint32_t first = none;
    uint32_t last = 0;
  };

  [[gnu::cold, noreturn]] static void refusePast();
  [[gnu::cold]] void growNodes();
  void append(Slot &slot, uint32_t number) {
    bool isEmpty = slot.first == none;
    uint32_t &link =
        KARAKAL_UNPREDICTABLE(isEmpty) ? slot.first : nodes[slot.last].next;
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
  /// The wheel holds cycles [wheelBase, wheelBase + wheelSize); wheelBase is a
  /// multiple of spanCycles. `spans` holds the cycles up to `spanCount` spans
  /// after wheelBase.
  uint64_t wheelBase = 0;
  uint64_t inSpans = 0;
  uint64_t laterCount = 0;
  uint32_t freeNodes = none;
  std::vector<Node> nodes;
  std::array<Slot, wheelSize> wheel;
  std::array<Slot, spanCount> spans;
  std::array<uint64_t, wheelSize / 64> used{};
  std::map<uint64_t, Slot> later;
  static_assert(wheelSize % spanCycles == 0 && wheelSize % 64 == 0,
                "the window moves by whole spans, the bitmap has whole words");
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_SCHEDULER_H
