// A server that takes one job at a time.
//
// The part of a unit that is busy while it works, as a timeline: jobs are
// served in the order of their reservations, and a job starts at the first free
// cycle at or after the moment at which it is ready. Queueing delay and
// utilization follow from the reservations, so nothing is simulated cycle by
// cycle.

#ifndef KARAKAL_SIM_IXP_BUS_SERVER_H
#define KARAKAL_SIM_IXP_BUS_SERVER_H

#include <algorithm>
#include <cstdint>

namespace karakal::sim {

/// One server of a unit.
class Server {
public:
  /// Reserves `cycles` at or after `notBefore`; returns the first of them.
  uint64_t reserve(uint64_t notBefore, uint64_t cycles) {
    uint64_t start = std::max(notBefore, free);
    free = start + cycles;
    busy += cycles;
    return start;
  }
  /// Takes no job for `cycles` from `from` on, or after the current job if that
  /// ends later. The time does not count as busy.
  void close(uint64_t from, uint64_t cycles) {
    free = std::max(free, from) + cycles;
  }
  /// First cycle that is not reserved.
  uint64_t freeCycle() const { return free; }
  /// Cycles reserved so far.
  uint64_t busyCycles() const { return busy; }

private:
  uint64_t free = 0;
  uint64_t busy = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_SERVER_H
