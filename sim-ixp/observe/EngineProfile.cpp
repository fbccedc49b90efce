// Cycles of an engine by instruction.

#include "sim-ixp/observe/EngineProfile.h"
#include "support/Error.h"

namespace karakal::sim {

std::vector<uint64_t> EngineProfile::issued() const {
  std::vector<uint64_t> counts(aborted.size());
  int64_t count = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    count += blockEdges[i];
    KARAKAL_ASSERT(count >= 0, "a block ended that had not begun");
    counts[i] = static_cast<uint64_t>(count);
  }
  return counts;
}

} // namespace karakal::sim
