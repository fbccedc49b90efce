// A port of the switch.

#include "switch/Port.h"

namespace karakal::sw {

void PortCounts::add(const PortCounts &other) {
  received += other.received;
  receivedBytes += other.receivedBytes;
  sent += other.sent;
  sentBytes += other.sentBytes;
  damaged += other.damaged;
  missed += other.missed;
  full += other.full;
  noLink += other.noLink;
  noBuffer += other.noBuffer;
  sendErrors += other.sendErrors;
  downs += other.downs;
}

PortCounts Port::counts() const {
  PortCounts sum;
  for (const QueueCounts &queue : countsByQueue)
    sum.add(queue.counts);
  return sum;
}

} // namespace karakal::sw
