// A queue that keeps its memory.
//
// First in, first out. The memory grows to the most values ever inside and then
// stays, so that a run allocates nothing in its steady state (a std::deque
// takes and gives back a block every few values).

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

  T &front() { return places[first]; }
  const T &front() const { return places[first]; }

  void push_back(T value) {
    if (count == places.size())
      grow();
    places[(first + count++) & (places.size() - 1)] = std::move(value);
  }
  void pop_front() {
    KARAKAL_ASSERT(count > 0, "a queue is not empty when it gives");
    first = (first + 1) & (places.size() - 1);
    --count;
  }

private:
  [[gnu::cold]] void grow() {
    std::vector<T> larger(places.empty() ? 16 : 2 * places.size());
    for (size_t i = 0; i < count; ++i)
      larger[i] = std::move(places[(first + i) & (places.size() - 1)]);
    places = std::move(larger);
    first = 0;
  }

  std::vector<T> places; ///< none, or a power of two
  size_t first = 0;
  size_t count = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_FIFO_H
