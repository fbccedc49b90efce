// Hit rates of LRU caches in one pass.

#include "host/Locality.h"
#include "support/Error.h"
#include <algorithm>
#include <cstring>
#include <numeric>

namespace karakal::host {

void LruStack::access(uint32_t line) {
  end = std::max(end, uint64_t(line) + 1);
  uint32_t at =
      std::find(lines.begin(), lines.begin() + used, line) - lines.begin();
  if (at < used)
    ++found[at];
  else if (used < Depth)
    ++used;
  else
    --at; // evicts the oldest line
  std::memmove(&lines[1], &lines[0], at * sizeof lines[0]);
  lines[0] = line;
}

uint64_t LruStack::hits(uint32_t entries) const {
  KARAKAL_ASSERT(entries <= Depth, "the stack is as deep as the cache");
  return std::accumulate(found.begin(), found.begin() + entries, uint64_t(0));
}

} // namespace karakal::host
