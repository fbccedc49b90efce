// Hit rates of LRU caches in one pass.
//
// A fully associative LRU cache of n entries hits if at most n - 1 other cache
// lines were used since the last use of the line. One stack of the lines by
// last use therefore gives the hits of every size at once (Mattson et al.,
// 1970). The stack is cut at the largest size of interest.
//
// Cost: a search through at most 64 words for each access.

#ifndef KARAKAL_HOST_LOCALITY_H
#define KARAKAL_HOST_LOCALITY_H

#include <array>
#include <cstdint>

namespace karakal::host {

class LruStack {
public:
  static constexpr uint32_t Depth = 64;

  /// Counts one access to `line`.
  void access(uint32_t line);

  /// One more than the largest line that was accessed.
  uint64_t extent() const { return end; }

  /// Accesses that hit in a cache of `entries` (at most Depth).
  uint64_t hits(uint32_t entries) const;

private:
  /// The lines by last use, the latest first.
  std::array<uint32_t, Depth> lines{};
  uint32_t used = 0;
  uint64_t end = 0;
  /// Accesses by the position at which their line was found.
  std::array<uint64_t, Depth> found{};
};

} // namespace karakal::host

#endif // KARAKAL_HOST_LOCALITY_H
