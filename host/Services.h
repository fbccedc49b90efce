// Hashes, time, random numbers and traces of programs on x86.

#ifndef KARAKAL_HOST_SERVICES_H
#define KARAKAL_HOST_SERVICES_H

#include "target-ixp/table/HashFunction.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace karakal::host {

/// What the services of a running program depend on.
struct ServiceState {
  /// The time of the frame being processed, in nanoseconds.
  uint64_t nowNs = 0;
  /// Tells that time instead, if it is set.
  std::function<uint64_t()> clock;
  /// The clock of the chip's engines.
  uint64_t engineHz = 0;
  uint32_t lastRandom = 1;
  /// The multiplier of the program's hashes.
  target::HashKey hashMultiplier = target::HashMultiplier;

  /// A pseudo-random number.
  uint32_t random();
};

/// Returns the name and address of the services that JIT code may call.
std::vector<std::pair<const char *, void *>> serviceSymbols();

/// Sets the state that the services of this thread use: that of the running
/// program, or null if none runs.
void setServiceState(ServiceState *state);

} // namespace karakal::host

#endif // KARAKAL_HOST_SERVICES_H
