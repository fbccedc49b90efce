// What the chip asks of its XScale core.
//
// The core runs ARM code against the same memories as the engines. It is idle
// until it is called: for control and initialization functions, and for its
// message handler whenever the ring to it is not empty. A call runs to its end
// at the cycle at which it starts, and the core is busy for the cycles it took;
// the next call or message waits for that.

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

  /// Runs the function at `entry`; `arguments` are placed as big-endian 64-bit
  /// words in the control argument block, whose address is passed. Gives the
  /// function's 32-bit result, or an error (fault, runaway).
  virtual Result<uint32_t> call(uint32_t entry,
                                const std::vector<int64_t> &arguments) = 0;

  /// The ring to the core went from empty to not empty at the scheduler's now:
  /// the handler runs as soon as the core is free. Errors are kept for
  /// `fault()`.
  virtual void onRingNotEmpty(uint32_t ring) = 0;

  /// First cycle at which the core is free.
  virtual uint64_t busyUntil() const = 0;

  /// The first fault of a handler run, nullptr if none.
  virtual const Error *fault() const = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H
