// The interface between the chip and its XScale core.
//
// The core runs ARM code on the same memories as the engines. It is idle until
// it is called: for control and initialization functions, and for its message
// handler, once for each message in the ring to it. It does one thing at a
// time; what has begun runs to its end, and calls go before messages. Before
// packets flow and after the last has left, a call runs at once; in between it
// runs in chip time beside the engines.

#ifndef KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H
#define KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H

#include "support/Error.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace karakal::sim {

/// The core as the rest of the chip sees it.
class ControlProcessor {
public:
  virtual ~ControlProcessor() = default;

  /// Runs the function at `entry` at once, while the core is free and the
  /// engines stand still. `arguments` are stored as big-endian 64-bit words in
  /// the control argument block, whose address is passed. Returns the
  /// function's 32-bit result, or an error (fault, runaway).
  virtual Result<uint32_t> call(uint32_t entry,
                                const std::vector<int64_t> &arguments) = 0;

  /// Chip cycles of all such calls so far, estimated.
  virtual uint64_t callCycles() const = 0;

  /// Runs the function in chip time, as soon as the core is free, and then
  /// calls `onReturn` with what `call` would return. Only when the last such
  /// function has returned.
  virtual void
  start(uint32_t entry, const std::vector<int64_t> &arguments,
        std::function<void(const Result<uint32_t> &)> onReturn) = 0;

  /// The ring to the core became non-empty at the scheduler's current cycle:
  /// the handler runs as soon as the core is free. `fault()` reports its
  /// errors.
  virtual void onRingNotEmpty(uint32_t ring) = 0;

  /// Whether a function runs in chip time, or waits for the core.
  virtual bool isBusy() const = 0;

  /// The first fault in chip time, nullptr if there is none.
  virtual const Error *fault() const = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_CONTROLPROCESSOR_H
