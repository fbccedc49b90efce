#include "traces/Timers.h"

#include "support/Assert.h"

#include <algorithm>

namespace karakal::traces {

Timers::Timers(const std::vector<TimerFunction> &functions, uint64_t callsMax)
    : callsMax(callsMax) {
  for (const TimerFunction &each : functions) {
    KARAKAL_ASSERT(each.intervalUs != 0, "a timer has an interval");
    uint64_t intervalNs = each.intervalUs * 1000;
    timers.push_back(
        {each.function, intervalNs, intervalNs, {each.name, each.intervalUs}});
  }
}

uint64_t Timers::nextNs() const {
  return timers.empty()
             ? ~uint64_t{0}
             : std::min_element(timers.begin(), timers.end(), isEarlier)
                   ->nextNs;
}

std::optional<Timers::Due> Timers::take(uint64_t nowNs) {
  for (Timer &timer : timers) {
    if (timer.nextNs > nowNs)
      continue;
    uint64_t times = (nowNs - timer.nextNs) / timer.intervalNs + 1;
    if (times <= callsMax)
      continue;
    timer.counts.missed += times - callsMax;
    timer.nextNs += (times - callsMax) * timer.intervalNs;
  }
  auto first = std::min_element(timers.begin(), timers.end(), isEarlier);
  if (first == timers.end() || first->nextNs > nowNs)
    return std::nullopt;
  Due due{first->function, first->nextNs};
  first->nextNs += first->intervalNs;
  ++first->counts.calls;
  return due;
}

std::vector<TimerCounts> Timers::counts() const {
  std::vector<TimerCounts> all;
  for (const Timer &timer : timers)
    all.push_back(timer.counts);
  return all;
}

} // namespace karakal::traces
