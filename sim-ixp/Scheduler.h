//===- Scheduler.h - the global event queue -------------------*- C++ -*-===//
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
// slot in use) with an ordered overflow for what lies further ahead. Nodes come
// from a pool that grows to the most events ever pending and then stays.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_SCHEDULER_H
#define KARAKAL_SIM_IXP_SCHEDULER_H

#include "support/Error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>

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
    if (cycle < currentCycle)
      refusePast();
    Node *node = freeNodes ? freeNodes : growNodes();
    freeNodes = node->next;
    node->target = target;
    node->argument = argument;
    node->code = code;
    node->next = nullptr;
    if (cycle - wheelBase < wheelSize)
      appendToWheel(cycle % wheelSize, node);
    else
      scheduleLater(cycle, node);
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
    // The window moves by at least a quarter at a time, which keeps the
    // overflow out of the common path.
    if (currentCycle >= wheelBase + wheelSize / 4)
      refill();
    uint32_t index = currentCycle % wheelSize;
    Slot &slot = wheel[index];
    Node *node = slot.first;
    const Node event = *node;
    slot.first = event.next;
    node->next = freeNodes;
    freeNodes = node;
    --inWheel;
    if (!slot.first) {
      uint64_t rest = used[index / 64] &= ~(uint64_t{1} << (index % 64));
      // Slots in front of this one belong to the next turn of the wheel.
      rest &= ~uint64_t{0} << (index % 64);
      if (rest != 0)
        earliestCycle = currentCycle - index % 64 + __builtin_ctzll(rest);
      else
        findEarliest(currentCycle);
    }
    event.target->onEvent(currentCycle, event.code, event.argument);
  }

  /// Number of events pending.
  uint64_t pendingCount() const { return inWheel + laterCount; }

private:
  /// Longer than any wait inside the chip; beyond lie ends of long frames.
  /// Small enough for the host's first cache.
  static constexpr uint32_t wheelSize = 512;
  struct Node {
    EventTarget *target;
    uint64_t argument;
    Node *next;
    uint32_t code;
  };
  /// A list in the order of scheduling; `last` means nothing if it is empty.
  struct Slot {
    Node *first = nullptr;
    Node *last = nullptr;
  };

  [[gnu::cold, noreturn]] static void refusePast();
  [[gnu::cold]] Node *growNodes();
  static void append(Slot &slot, Node *node) {
    if (!slot.first)
      slot.first = node;
    else
      slot.last->next = node;
    slot.last = node;
  }
  void appendToWheel(uint32_t index, Node *node) {
    append(wheel[index], node);
    used[index / 64] |= uint64_t{1} << (index % 64);
    ++inWheel;
  }
  void scheduleLater(uint64_t cycle, Node *node);
  void refill();
  void findEarliest(uint64_t from);

  uint64_t currentCycle = 0;
  uint64_t earliestCycle = never;
  /// Cycles [wheelBase, wheelBase + wheelSize) live in the wheel.
  uint64_t wheelBase = 0;
  uint64_t inWheel = 0;
  uint64_t laterCount = 0;
  Node *freeNodes = nullptr;
  std::deque<Node> nodes; ///< they never move
  std::array<Slot, wheelSize> wheel;
  std::array<uint64_t, wheelSize / 64> used{};
  std::map<uint64_t, Slot> later;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_SCHEDULER_H
