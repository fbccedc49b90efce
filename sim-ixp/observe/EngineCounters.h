// What an engine did with its cycles.

#ifndef KARAKAL_SIM_IXP_OBSERVE_ENGINECOUNTERS_H
#define KARAKAL_SIM_IXP_OBSERVE_ENGINECOUNTERS_H

#include <cstdint>

namespace karakal::sim {

/// Counters of one engine since the start. Every cycle is one of issue,
/// aborted, stall and idle.
struct EngineCounters {
  uint64_t issueCycles = 0;   ///< an instruction was issued
  uint64_t abortedCycles = 0; ///< dead slots after a taken branch or a swap
  uint64_t stallCycles = 0;   ///< the command FIFO was full
  uint64_t idleCycles = 0;    ///< no context was ready
  uint64_t swaps = 0;
  uint64_t commands = 0;
  /// Most issue and aborted cycles of a context between two ring gets. Of a
  /// wait by voluntary swaps only the first iteration counts.
  uint64_t iterationCyclesMax = 0;
  /// Cycles for which contexts had given up the engine in a function that waits
  /// for a lock, summed over contexts.
  uint64_t lockWaitCycles = 0;

  uint64_t total() const {
    return issueCycles + abortedCycles + stallCycles + idleCycles;
  }
};

/// How long the core kept an engine off: with all contexts disabled.
struct EngineRest {
  uint64_t stops = 0, starts = 0; ///< by the core
  uint64_t cycles = 0;            ///< off
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_ENGINECOUNTERS_H
