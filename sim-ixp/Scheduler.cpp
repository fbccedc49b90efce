//===- Scheduler.cpp - the global event queue
//------------------------------===//
//
// See Scheduler.h for the idea.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Scheduler.h"
#include "support/Error.h"

namespace karakal::sim {

Scheduler::Scheduler() { nodes.reserve(1024); }

uint32_t Scheduler::takeNode() {
  if (freeNode == none) {
    nodes.push_back(Node{});
    return static_cast<uint32_t>(nodes.size() - 1);
  }
  uint32_t node = freeNode;
  freeNode = nodes[node].next;
  return node;
}

void Scheduler::append(Slot &slot, uint32_t node) {
  nodes[node].next = none;
  if (slot.first == none)
    slot.first = node;
  else
    nodes[slot.last].next = node;
  slot.last = node;
}

void Scheduler::schedule(uint64_t cycle, EventTarget *target, uint32_t code,
                         uint64_t argument) {
  KARAKAL_ASSERT(cycle >= currentCycle, "an event lies in the past");
  uint32_t node = takeNode();
  nodes[node].target = target;
  nodes[node].argument = argument;
  nodes[node].code = code;
  ++pending;
  if (cycle < wheelBase + wheelSize) {
    uint32_t index = cycle % wheelSize;
    append(wheel[index], node);
    used[index / 64] |= uint64_t{1} << (index % 64);
    ++inWheel;
  } else {
    append(later[cycle], node);
  }
  if (cycle < earliestCycle)
    earliestCycle = cycle;
}

/// Moves the wheel's window to the clock and takes in what now falls into it.
/// Slots of the overflow keep their order: an event of the same cycle can only
/// be put into the wheel after this.
void Scheduler::refill() {
  wheelBase = currentCycle;
  while (!later.empty() && later.begin()->first < wheelBase + wheelSize) {
    uint32_t index = later.begin()->first % wheelSize;
    for (uint32_t node = later.begin()->second.first; node != none;) {
      uint32_t next = nodes[node].next;
      append(wheel[index], node);
      ++inWheel;
      node = next;
    }
    used[index / 64] |= uint64_t{1} << (index % 64);
    later.erase(later.begin());
  }
}

void Scheduler::findEarliest(uint64_t from) {
  if (inWheel == 0) {
    earliestCycle = later.empty() ? never : later.begin()->first;
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
}

void Scheduler::runNext() {
  KARAKAL_ASSERT(pending > 0, "no event to run");
  currentCycle = earliestCycle;
  // The window moves by at least a quarter at a time, which keeps the overflow
  // out of the common path.
  if (currentCycle >= wheelBase + wheelSize / 4)
    refill();
  uint32_t index = currentCycle % wheelSize;
  Slot &slot = wheel[index];
  uint32_t node = slot.first;
  Node event = nodes[node];
  slot.first = event.next;
  if (slot.first == none) {
    slot.last = none;
    used[index / 64] &= ~(uint64_t{1} << (index % 64));
  }
  nodes[node].next = freeNode;
  freeNode = node;
  --pending;
  --inWheel;
  if (slot.first == none)
    findEarliest(currentCycle);
  event.target->onEvent(currentCycle, event.code, event.argument);
}

} // namespace karakal::sim
