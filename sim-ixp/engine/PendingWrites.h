// Writes of an engine on their way through the pipeline.
//
// A write to a local CSR, or to an own neighbour register, takes effect some
// instructions later; until then reads see the old value.

#ifndef KARAKAL_SIM_IXP_ENGINE_PENDINGWRITES_H
#define KARAKAL_SIM_IXP_ENGINE_PENDINGWRITES_H

#include "sim-ixp/bus/Scheduler.h"
#include "support/Error.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace karakal::sim {

/// One write; it takes effect at `cycle`.
struct PendingWrite {
  /// As `csr`: a neighbour register, whose number is in `context`.
  static constexpr uint16_t ownNeighbour = 0xffff;

  uint64_t cycle;
  uint16_t csr;
  uint8_t context;
  uint32_t value;
};

/// The writes of one engine, in the order of their cycles.
class PendingWrites {
public:
  PendingWrites() { writes.reserve(16); }

  /// Cycle of the first write, Scheduler::never if there is none.
  uint64_t firstCycle() const { return first; }
  auto begin() const { return writes.begin(); }
  auto end() const { return writes.end(); }

  /// Adds a write after those of the same cycle.
  void add(const PendingWrite &write) {
    auto later = std::upper_bound(
        writes.begin(), writes.end(), write.cycle,
        [](uint64_t cycle, const PendingWrite &w) { return cycle < w.cycle; });
    writes.insert(later, write);
    first = writes.front().cycle;
  }
  /// Removes the writes up to `cycle` after apply(write) for each.
  template <typename Apply> void applyDue(uint64_t cycle, Apply apply) {
    size_t done = 0;
    while (done < writes.size() && writes[done].cycle <= cycle)
      apply(writes[done++]);
    writes.erase(writes.begin(), writes.begin() + done);
    first = writes.empty() ? Scheduler::never : writes.front().cycle;
    KARAKAL_ASSERT(first > cycle, "a write that was due remains");
  }

private:
  uint64_t first = Scheduler::never;
  std::vector<PendingWrite> writes;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_PENDINGWRITES_H
