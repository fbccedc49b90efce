// The interface between the chip and its XScale core.
//
// The core runs ARM code on the same memories as the engines. It is idle until
// it is called: for control and initialization functions, and for its message
// handler whenever the ring to it is not empty. A call runs to its end at the
// cycle at which it starts. The core is then busy for the cycles the call took;
// the next call or message waits.

#ifndef KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H
#define KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H

#include "support/Error.h"

#include <cstdint>
#include <vector>

namespace karakal::sim {

/// The core as the rest of the chip sees it.
class ControlProcessor {
public:
  virtual ~ControlProcessor() = default;

  /// Runs the function at `entry`. `arguments` are stored as big-endian 64-bit
  /// words in the control argument block, whose address is passed. Returns the
  /// function's 32-bit result, or an error (fault, runaway).
  virtual Result<uint32_t> call(uint32_t entry,
                                const std::vector<int64_t> &arguments) = 0;

  /// The ring to the core became non-empty at the scheduler's current cycle:
  /// the handler runs as soon as the core is free. `fault()` reports its
  /// errors.
  virtual void onRingNotEmpty(uint32_t ring) = 0;

  /// First cycle at which the core is free.
  virtual uint64_t busyUntil() const = 0;

  /// The first fault of a handler run, nullptr if there is none.
  virtual const Error *fault() const = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H
