// Counts for the model of rates, from a run over a trace.

#ifndef KARAKAL_HOST_OBSERVE_WORKOBSERVATION_H
#define KARAKAL_HOST_OBSERVE_WORKOBSERVATION_H

#include "codegen-x86/model/WorkCounts.h"
#include <string>
#include <utility>
#include <vector>

namespace karakal::host {

/// What RunOptions::observation fills.
struct WorkObservation {
  /// Packets of a burst, and of its sub-batches.
  static constexpr uint32_t Burst = 32;
  /// The fewest bursts of each kind, and the most packets that count.
  static constexpr uint32_t BurstsMin = 32;
  static constexpr uint64_t PacketsMax = 100'000;

  x86::WorkCounts counts;
  /// Names of the program's globals by object number.
  std::vector<std::string> objects;
  /// Whether packets ran in stages, too.
  bool hasStages = false;
};

/// What code with observers calls (codegen-x86/ObserveWork.h).
std::vector<std::pair<const char *, void *>> observerSymbols();

/// Makes the observers of this thread count for `counts` as long as it lives.
/// Without one they do nothing.
class ActiveWorkCounts {
public:
  explicit ActiveWorkCounts(x86::WorkCounts &counts);
  ~ActiveWorkCounts();
  ActiveWorkCounts(const ActiveWorkCounts &) = delete;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_OBSERVE_WORKOBSERVATION_H
