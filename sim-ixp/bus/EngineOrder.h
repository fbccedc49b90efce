// The engine that acts next.
//
// A tournament tree over the cycles at which the engines act next. The winner
// is the engine that is furthest behind, and among equals the one with the
// lower number. A changed cycle is played up one path of the tree. The
// runner-up is the best of those that the winner beat on its path.

#ifndef KARAKAL_SIM_IXP_BUS_ENGINEORDER_H
#define KARAKAL_SIM_IXP_BUS_ENGINEORDER_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/bus/Scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace karakal::sim {

/// Keeps the engines in the order in which they act.
class EngineOrder {
public:
  /// firstCycle() if no engine will act; later than any cycle of an engine.
  static constexpr uint64_t asleep = Scheduler::never / engineCountMax;

  explicit EngineOrder(uint32_t engineCount)
      : leaves(engineCount <= 8 ? 8 : engineCountMax) {
    KARAKAL_ASSERT(engineCount <= engineCountMax,
                   "more engines than the tree has");
    keys.fill(Scheduler::never);
  }

  /// Engine `index` acts next at `cycle`, or not at all (Scheduler::never).
  void set(uint32_t index, uint64_t cycle) {
    uint64_t key = cycle * engineCountMax + index;
    if (__builtin_expect(leaves == 8, true))
      play<8>(index, key);
    else
      play<engineCountMax>(index, key);
  }

  /// The engine that acts first, and its cycle.
  uint32_t first() const { return keys[1] % engineCountMax; }
  uint64_t firstCycle() const { return keys[1] / engineCountMax; }

  /// The cycle before which engine `index`, the first, acts alone: the cycle of
  /// the second engine, or the one after it if that engine has the higher
  /// number.
  uint64_t limitOf(uint32_t index) const {
    uint64_t second =
        leaves == 8 ? best<8>(index) : best<engineCountMax>(index);
    return (second - index) / engineCountMax + 1;
  }

private:
  /// Plays the key of an engine up to the root. The number of leaves is a
  /// template parameter so that the compiler unrolls the loops.
  template <uint32_t Leaves> void play(uint32_t index, uint64_t key) {
    for (uint32_t level = 1; level < Leaves; level *= 2) {
      uint32_t node = (Leaves + index) / level;
      keys[node] = key;
      key = std::min(key, keys[node ^ 1]);
    }
    keys[1] = key;
  }
  /// The least key of the other engines.
  template <uint32_t Leaves> uint64_t best(uint32_t index) const {
    uint64_t least = Scheduler::never;
    for (uint32_t level = 1; level < Leaves; level *= 2)
      least = std::min(least, keys[(Leaves + index) / level ^ 1]);
    return least;
  }
  /// Cycle and engine number in one word. Element 1 is the root; the leaves
  /// follow the inner nodes.
  std::array<uint64_t, 2 * engineCountMax> keys;
  uint32_t leaves;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_ENGINEORDER_H
