// The slow paths of the event queue.

#include "sim-ixp/bus/Scheduler.h"

#include <utility>

namespace karakal::sim {

void Scheduler::refusePast() {
  KARAKAL_UNREACHABLE("an event is scheduled in the past");
}

void Scheduler::growNodes() {
  freeNodes = static_cast<uint32_t>(nodes.size());
  nodes.push_back({nullptr, 0, none, 0, 0});
}

/// As schedule, for any event.
void Scheduler::scheduleSlowly(uint64_t cycle, EventTarget *target,
                               uint32_t code, uint64_t argument) {
  if (cycle < currentCycle)
    refusePast();
  if (freeNodes == none)
    growNodes();
  uint32_t number = freeNodes;
  freeNodes = nodes[number].next;
  nodes[number] = {target, argument, none, code, static_cast<uint32_t>(cycle)};
  if (cycle - wheelBase < wheelSize)
    appendToWheel(cycle % wheelSize, number);
  else
    scheduleLater(cycle, number);
  earliestCycle = std::min(earliestCycle, cycle);
}

uint64_t Scheduler::pendingCount() const {
  uint64_t count = inSpans + laterCount;
  for (const Slot &slot : wheel)
    for (uint32_t number = slot.first; number != none;
         number = nodes[number].next)
      ++count;
  return count;
}

void Scheduler::scheduleLater(uint64_t cycle, uint32_t number) {
  if (cycle / spanCycles - wheelBase / spanCycles < spanCount)
    return appendToSpan(cycle / spanCycles, number);
  append(later[cycle], number);
  ++laterCount;
}

/// Moves the wheel's window to the clock and takes in the events that fall into
/// it. Events of the same cycle keep their order, because a new one can enter a
/// wheel only after this.
void Scheduler::refill() {
  wheelBase = currentCycle / spanCycles * spanCycles;
  uint64_t first = wheelBase / spanCycles;
  while (!later.empty() &&
         later.begin()->first / spanCycles - first < spanCount) {
    uint64_t span = later.begin()->first / spanCycles;
    for (uint32_t number = later.begin()->second.first; number != none;) {
      uint32_t next = std::exchange(nodes[number].next, none);
      appendToSpan(span, number);
      --laterCount;
      number = next;
    }
    later.erase(later.begin());
  }
  for (uint64_t span = first; span < first + wheelSize / spanCycles; ++span)
    for (uint32_t number = std::exchange(spans[span % spanCount].first, none);
         number != none;) {
      uint32_t next = std::exchange(nodes[number].next, none);
      appendToWheel(nodes[number].cycle % wheelSize, number);
      --inSpans;
      number = next;
    }
}

/// The cycle of the earliest event in the second wheel, which is not empty.
uint64_t Scheduler::earliestOfSpans() const {
  KARAKAL_ASSERT(inSpans > 0, "the second wheel is empty");
  uint64_t span = wheelBase / spanCycles;
  while (spans[span % spanCount].first == none)
    ++span;
  uint64_t earliest = never;
  for (uint32_t number = spans[span % spanCount].first; number != none;
       number = nodes[number].next)
    earliest = std::min(earliest,
                        span * spanCycles + nodes[number].cycle % spanCycles);
  return earliest;
}

void Scheduler::findEarliest(uint64_t from) {
  if (std::all_of(used.begin(), used.end(),
                  [](uint64_t slots) { return slots == 0; })) {
    earliestCycle = inSpans != 0    ? earliestOfSpans()
                    : later.empty() ? never
                                    : later.begin()->first;
    return;
  }
  uint32_t start = from % wheelSize;
  uint32_t word = start / 64;
  uint64_t bits = used[word] & (~uint64_t{0} << (start % 64));
  while (bits == 0) {
    word = (word + 1) % used.size();
    bits = used[word];
  }
  uint32_t index = word * 64 + __builtin_ctzll(bits);
  earliestCycle = from + (index + wheelSize - start) % wheelSize;
  KARAKAL_ASSERT(earliestCycle - wheelBase < wheelSize,
                 "the event found lies outside the wheel's window");
}

} // namespace karakal::sim
