// Decides when code is made again, from the versions of what it assumes.

#include "host/UpdateWatch.h"
#include "support/Assert.h"
#include <algorithm>

namespace karakal::host {

UpdateWatch::UpdateWatch(size_t count, double stillMs)
    : all(count), stillMs(stillMs) {}

bool UpdateWatch::isSettled(const uint64_t *versions) const {
  return !settled.empty() &&
         std::equal(settled.begin(), settled.end(), versions);
}

bool UpdateWatch::wantsBuild(const uint64_t *versions, double nowMs) {
  bool wants = false;
  for (unsigned i = 0; i < all.size(); ++i) {
    Watched &one = all[i];
    if (versions[i] != one.seen) {
      one.seen = versions[i];
      one.changedMs = nowMs;
    }
    if (one.breaks >= BreaksMax && nowMs - one.changedMs < stillMs) {
      restlessNow.insert(i);
      wants |= !one.isLeftOut;
      continue;
    }
    if (restlessNow.erase(i) != 0) {
      one.breaks = 0;
      one.isBuilt = false;
    }
    wants |= !one.isBuilt || one.built != versions[i];
  }
  settled.clear();
  if (!wants && restlessNow.empty())
    settled.assign(versions, versions + all.size());
  return wants;
}

void UpdateWatch::builds(const uint64_t *versions) {
  for (unsigned i = 0; i < all.size(); ++i) {
    all[i].isBuilt = true;
    all[i].isLeftOut = restlessNow.count(i) != 0;
    all[i].built = versions[i];
  }
}

void UpdateWatch::breaks(unsigned number) {
  KARAKAL_ASSERT(number < all.size(), "a version of the program");
  ++all[number].breaks;
}

} // namespace karakal::host
