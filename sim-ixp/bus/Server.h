// A unit's server as a timeline.
//
// A server takes one job at a time, in the order of its reservations: a job
// starts at the first free cycle at or after the moment it may start. Waiting
// and utilization follow from that; there is nothing to tick.

#ifndef KARAKAL_SIM_IXP_BUS_SERVER_H
#define KARAKAL_SIM_IXP_BUS_SERVER_H

#include <algorithm>
#include <cstdint>

namespace karakal::sim {

/// One server of a unit.
class Server {
public:
  /// Takes `cycles` at or after `notBefore`; gives the first of them.
  uint64_t reserve(uint64_t notBefore, uint64_t cycles) {
    uint64_t start = std::max(notBefore, free);
    waited += start - notBefore;
    free = start + cycles;
    busy += cycles;
    ++jobs;
    return start;
  }
  /// Takes no jobs for `cycles` from `from` on, or from the end of what runs
  /// then; not counted as busy.
  void close(uint64_t from, uint64_t cycles) {
    free = std::max(free, from) + cycles;
  }
  uint64_t freeCycle() const { return free; }
  /// Cycles taken, cycles that jobs waited, and jobs, since clear().
  uint64_t busyCycles() const { return busy; }
  uint64_t waitedCycles() const { return waited; }
  uint64_t jobCount() const { return jobs; }
  void clearCounters() { busy = waited = jobs = 0; }

private:
  uint64_t free = 0;
  uint64_t busy = 0;
  uint64_t waited = 0;
  uint64_t jobs = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_SERVER_H
