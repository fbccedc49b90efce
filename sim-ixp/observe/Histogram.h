// A histogram of exact counts in bounded memory.
//
// Values below `limit` are counted one by one. Larger values share one counter
// per power of two and are reported as its lower end, so a quantile above the
// limit may be too small by up to half of the true value. The maximum is exact.

#ifndef KARAKAL_SIM_IXP_OBSERVE_HISTOGRAM_H
#define KARAKAL_SIM_IXP_OBSERVE_HISTOGRAM_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace karakal::sim {

/// Counts of values, for instance of latencies in cycles.
class Histogram {
public:
  static constexpr uint64_t limit = 1 << 20;

  void add(uint64_t value) {
    ++total;
    largest = std::max(largest, value);
    if (value >= limit) {
      ++large[63 - static_cast<uint32_t>(__builtin_clzll(value))];
      return;
    }
    if (value >= small.size())
      small.resize(std::max<uint64_t>(value + 1, 2 * small.size()));
    ++small[value];
  }

  uint64_t count() const { return total; }
  /// The largest value, 0 if there is none.
  uint64_t maximum() const { return largest; }
  /// The value at `index` in ascending order, from 0; the maximum if there are
  /// no more values.
  uint64_t at(uint64_t index) const {
    if (index + 1 >= total)
      return largest;
    for (uint64_t value = 0; value < small.size(); ++value) {
      if (index < small[value])
        return value;
      index -= small[value];
    }
    for (uint32_t bit = 0; bit < large.size(); ++bit) {
      if (index < large[bit])
        return uint64_t{1} << bit;
      index -= large[bit];
    }
    return largest;
  }

private:
  uint64_t total = 0;
  uint64_t largest = 0;
  std::vector<uint64_t> small;
  std::array<uint64_t, 64> large{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_HISTOGRAM_H
