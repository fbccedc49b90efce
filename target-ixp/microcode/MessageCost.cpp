// The cost of a message for an engine and the units of the chip.

#include "target-ixp/microcode/MessageCost.h"

namespace karakal::target {

MessageCost &MessageCost::operator+=(const MessageCost &other) {
  issue += other.issue;
  latency += other.latency;
  segments += other.segments;
  segmentSquares += other.segmentSquares;
  locked += other.locked;
  lockedSwaps += other.lockedSwaps;
  sent += other.sent;
  sentWithoutHead += other.sentWithoutHead;
  for (size_t u = 0; u < sharedUnitCount; ++u) {
    busy[u] += other.busy[u];
    commands[u] += other.commands[u];
    squares[u] += other.squares[u];
  }
  return *this;
}

MessageCost operator*(MessageCost cost, double times) {
  cost.issue *= times;
  cost.latency *= times;
  cost.segments *= times;
  cost.segmentSquares *= times;
  cost.locked *= times;
  cost.lockedSwaps *= times;
  cost.sent *= times;
  cost.sentWithoutHead *= times;
  for (auto *figures : {&cost.busy, &cost.commands, &cost.squares})
    for (double &figure : *figures)
      figure *= times;
  return cost;
}

} // namespace karakal::target
