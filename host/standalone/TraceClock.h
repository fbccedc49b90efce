// When the packets of a run arrive, by the times of the trace.

#ifndef KARAKAL_HOST_STANDALONE_TRACECLOCK_H
#define KARAKAL_HOST_STANDALONE_TRACECLOCK_H

#include "traces/Packet.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace karakal::host {

/// Nanoseconds from the first packet of a run to each, as the ports of the chip
/// repeat a trace.
class TraceClock {
public:
  explicit TraceClock(const std::vector<traces::Packet> &trace) : trace(trace) {
    uint64_t span = since(trace.size() - 1);
    spanNs = span + span / std::max<uint64_t>(trace.size() - 1, 1);
  }
  uint64_t at(uint64_t index) const {
    return index / trace.size() * spanNs + since(index % trace.size());
  }
  /// Of the `count` packets from `index` on, those before the first that
  /// arrives at `ns` or later; at least one.
  uint64_t countBefore(uint64_t ns, uint64_t index, uint64_t count) const {
    uint64_t before = 1;
    while (before < count && at(index + before) < ns)
      ++before;
    return before;
  }

private:
  uint64_t since(uint64_t packet) const {
    uint64_t first = trace.front().timeNs, time = trace[packet].timeNs;
    return time > first ? time - first : 0;
  }
  const std::vector<traces::Packet> &trace;
  uint64_t spanNs = 0;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_TRACECLOCK_H
