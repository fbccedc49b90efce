// A first-in, first-out queue that keeps its storage.
//
// The storage grows to the largest number of values ever queued and then stays,
// so that a run allocates nothing in its steady state. A std::deque allocates
// and frees a block every few values.

#ifndef KARAKAL_SIM_IXP_BUS_FIFO_H
#define KARAKAL_SIM_IXP_BUS_FIFO_H

#include "support/Error.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace karakal::sim {

template <typename T> class Fifo {
public:
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  void clear() { first = count = 0; }

  /// The oldest value; the queue must not be empty.
  T &front() { return slots[first]; }
  const T &front() const { return slots[first]; }

  void push_back(T value) {
    if (count == slots.size())
      grow();
    slots[(first + count++) & (slots.size() - 1)] = std::move(value);
  }
  void pop_front() {
    KARAKAL_ASSERT(count > 0, "pop from an empty queue");
    first = (first + 1) & (slots.size() - 1);
    --count;
  }

private:
  [[gnu::cold]] void grow() {
    std::vector<T> larger(slots.empty() ? 16 : 2 * slots.size());
    for (size_t i = 0; i < count; ++i)
      larger[i] = std::move(slots[(first + i) & (slots.size() - 1)]);
    slots = std::move(larger);
    first = 0;
  }

  std::vector<T> slots; ///< size is 0 or a power of two
  size_t first = 0;
  size_t count = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_FIFO_H
