// The data bus of a DRAM channel.
//
// A transfer begins when its bank is free and there is room for it between the
// transfers booked so far, so one that waits for its bank leaves the bus to
// others. A booked transfer does not move. Between a read and a write the bus
// is idle for a turnaround.
//
// Commands are booked in the order in which they arrive, which is also the
// order in which a bank serves them.

#ifndef KARAKAL_SIM_IXP_MEMORY_DATABUS_H
#define KARAKAL_SIM_IXP_MEMORY_DATABUS_H

#include "support/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace karakal::sim {

/// The bus as a timetable of transfers that have not ended.
class DataBus {
public:
  explicit DataBus(uint64_t turnaroundCycles)
      : turnaroundCycles(turnaroundCycles) {}

  /// Books `cycles` at or after `ready`; returns the first of them. `now` is
  /// the present cycle: no later call books before it.
  uint64_t book(uint64_t now, uint64_t ready, uint64_t cycles, bool isWrite) {
    KARAKAL_ASSERT(now <= ready && cycles > 0, "a transfer in the future");
    forgetUntil(now);
    // Most transfers are the last.
    size_t place = transfers.size();
    while (place > first && transfers[place - 1].end + turnaroundCycles > ready)
      --place;
    uint64_t start = ready;
    for (; place < transfers.size(); ++place) {
      const Transfer &next = transfers[place];
      if (start + cycles + gap(next, isWrite) <= next.begin)
        break;
      start = std::max(start, next.end + gap(next, isWrite));
    }
    bool isTurned = place > first && transfers[place - 1].isWrite != isWrite &&
                    transfers[place - 1].end + turnaroundCycles == start;
    Transfer transfer{start, start + cycles, isWrite};
    if (place == transfers.size())
      transfers.push_back(transfer);
    else
      transfers.insert(transfers.begin() + static_cast<ptrdiff_t>(place),
                       transfer);
    busy += cycles + (isTurned ? turnaroundCycles : 0);
    return start;
  }

  /// Cycles of transfers, and of turnarounds that delayed one.
  uint64_t busyCycles() const { return busy; }

private:
  struct Transfer {
    uint64_t begin;
    uint64_t end; ///< the cycle after the last
    bool isWrite;
  };

  uint64_t gap(const Transfer &other, bool isWrite) const {
    return other.isWrite != isWrite ? turnaroundCycles : 0;
  }

  /// Drops the transfers that nothing can meet any more. The storage moves when
  /// half of it is free, which costs a constant time for each transfer.
  void forgetUntil(uint64_t now) {
    while (first < transfers.size() &&
           transfers[first].end + turnaroundCycles <= now)
      ++first;
    if (2 * first < transfers.size() || first < 32)
      return;
    transfers.erase(transfers.begin(),
                    transfers.begin() + static_cast<ptrdiff_t>(first));
    first = 0;
  }

  uint64_t turnaroundCycles;
  /// In the order of time, disjoint; those before `first` are past.
  std::vector<Transfer> transfers;
  size_t first = 0;
  uint64_t busy = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_DATABUS_H
