// The latest of many durations, and their quantiles. Takes constant memory.

#ifndef KARAKAL_CODEGEN_X86_RECENTTIMES_H
#define KARAKAL_CODEGEN_X86_RECENTTIMES_H

#include "support/Assert.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace karakal::x86 {

class RecentTimes {
public:
  static constexpr size_t CountMax = 1024;

  void add(double time) {
    if (times.size() < CountMax)
      times.push_back(time);
    else
      times[oldest++ % CountMax] = time;
  }
  bool empty() const { return times.empty(); }
  size_t size() const { return times.size(); }
  /// The time that the `share` of them do not exceed; 0 if there is none.
  double quantile(double share) const {
    KARAKAL_ASSERT(share >= 0 && share <= 1, "a share of all");
    if (times.empty())
      return 0;
    std::vector<double> sorted = times;
    size_t rank =
        std::min(size_t(share * double(sorted.size())), sorted.size() - 1);
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(rank),
                     sorted.end());
    return sorted[rank];
  }

private:
  std::vector<double> times;
  size_t oldest = 0;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_RECENTTIMES_H
