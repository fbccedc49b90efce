// The timers of a program: control functions that are called by themselves.
//
// A timer is due when its interval has passed after the start, twice, and so
// on. It is never due twice at once: if its function has not been called, or
// runs, when it is due again, that call is missed. So a timer that is too slow
// for its interval loses calls, and the counts tell it.

#ifndef KARAKAL_TRACES_TIMERS_H
#define KARAKAL_TRACES_TIMERS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace karakal::traces {

/// What became of the calls of a timer.
struct TimerCounts {
  std::string name; ///< `module.function`
  uint64_t intervalUs = 0;
  uint64_t calls = 0;
  uint64_t late = 0;   ///< calls that something else delayed
  uint64_t missed = 0; ///< times at which no call began
};

/// A control function that is a timer.
struct TimerFunction {
  size_t function; ///< index among the control functions
  std::string name;
  uint64_t intervalUs;
};

/// Which timer is due when, on a clock that begins at 0.
class Timers {
public:
  /// After a pause of the clock, such as a gap in a trace, a timer is called
  /// for the last `callsMax` of its times; it misses the others.
  static constexpr uint64_t callsMaxOfTrace = 100000;
  explicit Timers(const std::vector<TimerFunction> &functions,
                  uint64_t callsMax = callsMaxOfTrace);

  bool empty() const { return timers.empty(); }
  /// Nanoseconds at which a timer is due next; without timers the last ones.
  uint64_t nextNs() const;

  struct Due {
    size_t function; ///< its index
    uint64_t atNs;
  };
  /// Takes the first timer that is due by `nowNs`, the order of equal times
  /// being that of the program.
  std::optional<Due> take(uint64_t nowNs);

  /// In the order of the program.
  std::vector<TimerCounts> counts() const;

private:
  struct Timer {
    size_t function;
    uint64_t intervalNs, nextNs;
    TimerCounts counts;
  };
  static bool isEarlier(const Timer &a, const Timer &b) {
    return a.nextNs < b.nextNs;
  }
  std::vector<Timer> timers;
  uint64_t callsMax;
};

} // namespace karakal::traces

#endif // KARAKAL_TRACES_TIMERS_H
