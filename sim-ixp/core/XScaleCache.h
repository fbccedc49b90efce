// One of the XScale's two caches.
//
// 32 KB in lines of 32 bytes, 32 sets of 32 lines, replaced round robin (Intel
// XScale Core Developer's Manual, 273473, sections 4.1 and 6.1). Only the tags
// are here: data are always read from and written to memory.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALECACHE_H
#define KARAKAL_SIM_IXP_CORE_XSCALECACHE_H

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace karakal::sim {

/// The tags of a cache of the addresses [base, base + bytes).
class XScaleCache {
public:
  static constexpr uint32_t lineBytes = 32;
  static constexpr uint32_t setCount = 32;
  static constexpr uint32_t wayCount = 32;

  XScaleCache(uint32_t base, uint32_t bytes)
      : base(base), states(bytes / lineBytes, Absent) {}

  struct Miss {
    /// The address of the line that was replaced, if it must be written back.
    std::optional<uint32_t> writtenBack;
  };

  /// Reads or writes at `address`. A line that is absent is brought in.
  std::optional<Miss> access(uint32_t address, bool isWrite) {
    uint32_t line = (address - base) / lineBytes;
    State &state = states[line];
    if (state != Absent) {
      if (isWrite)
        state = Dirty;
      return std::nullopt;
    }
    state = isWrite ? Dirty : Clean;
    Set &set = sets[line % setCount];
    Miss miss;
    uint32_t old = std::exchange(set.lines[set.next], line + 1);
    set.next = (set.next + 1) % wayCount;
    if (old == 0)
      return miss;
    if (states[old - 1] == Dirty)
      miss.writtenBack = base + (old - 1) * lineBytes;
    states[old - 1] = Absent;
    return miss;
  }

private:
  enum State : uint8_t { Absent, Clean, Dirty };
  struct Set {
    std::array<uint32_t, wayCount> lines{}; ///< number + 1, 0 = empty
    uint32_t next = 0;                      ///< to be replaced
  };

  uint32_t base;
  std::vector<State> states; ///< by line
  std::array<Set, setCount> sets;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_XSCALECACHE_H
