//===- Scheduler.cpp - the global event queue
//------------------------------===//
//
// See Scheduler.h for the idea.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Scheduler.h"

namespace karakal::sim {

void Scheduler::refusePast() {
  KARAKAL_UNREACHABLE("an event lies in the past");
}

Scheduler::Node *Scheduler::growNodes() {
  nodes.push_back(Node{});
  return &nodes.back();
}

void Scheduler::scheduleLater(uint64_t cycle, Node *node) {
  append(later[cycle], node);
  ++laterCount;
}

/// Moves the wheel's window to the clock and takes in what now falls into it.
/// Slots of the overflow keep their order: an event of the same cycle can only
/// be put into the wheel after this.
void Scheduler::refill() {
  wheelBase = currentCycle;
  while (!later.empty() && later.begin()->first < wheelBase + wheelSize) {
    uint32_t index = later.begin()->first % wheelSize;
    for (Node *node = later.begin()->second.first; node;) {
      Node *next = node->next;
      node->next = nullptr;
      appendToWheel(index, node);
      --laterCount;
      node = next;
    }
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

} // namespace karakal::sim
