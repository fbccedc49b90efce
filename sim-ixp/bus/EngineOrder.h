// Which engine acts next.
//
// A tournament over the engines' next cycles: the winner is the engine that is
// furthest behind, of equals the one with the lower number. A change is played
// up one path of the tree; the runner-up is the best of those that the winner
// beat on its path.

#ifndef KARAKAL_SIM_IXP_BUS_ENGINEORDER_H
#define KARAKAL_SIM_IXP_BUS_ENGINEORDER_H

#include "sim-ixp/bus/Scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace karakal::sim {

/// The order of the engines' turns.
class EngineOrder {
public:
  static constexpr uint32_t engineMax = 16;

  explicit EngineOrder(uint32_t engineCount)
      : leaves(engineCount <= 8 ? 8 : engineMax) {
    keys.fill(Scheduler::never);
  }

  /// Engine `index` acts next at `cycle`, or not at all (Scheduler::never).
  void set(uint32_t index, uint64_t cycle) {
    uint64_t key = cycle * engineMax + index;
    if (__builtin_expect(leaves == 8, true))
      play<8>(index, key);
    else
      play<engineMax>(index, key);
  }

  /// The engine that acts first, and when: `asleep` if none will.
  uint32_t first() const { return keys[1] % engineMax; }
  uint64_t firstCycle() const { return keys[1] / engineMax; }
  /// Later than any cycle of an engine.
  static constexpr uint64_t asleep = Scheduler::never / engineMax;

  /// The cycle before which `index`, the first, may act: that of the next
  /// engine, or the one behind it if that engine has the higher number.
  uint64_t limitOf(uint32_t index) const {
    uint64_t second = leaves == 8 ? best<8>(index) : best<engineMax>(index);
    return (second - index) / engineMax + 1;
  }

private:
  /// Plays the key of an engine up to the root; the loops have constant
  /// lengths.
  template <uint32_t Leaves> void play(uint32_t index, uint64_t key) {
    for (uint32_t level = 1; level < Leaves; level *= 2) {
      uint32_t node = (Leaves + index) / level;
      keys[node] = key;
      key = std::min(key, keys[node ^ 1]);
    }
    keys[1] = key;
  }
  /// The least key of the others.
  template <uint32_t Leaves> uint64_t best(uint32_t index) const {
    uint64_t least = Scheduler::never;
    for (uint32_t level = 1; level < Leaves; level *= 2)
      least = std::min(least, keys[(Leaves + index) / level ^ 1]);
    return least;
  }
  /// Cycle and number in one word; 1 is the root, the leaves follow the inner
  /// nodes.
  std::array<uint64_t, 2 * engineMax> keys;
  uint32_t leaves;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_ENGINEORDER_H
