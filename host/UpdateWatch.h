// Decides when code is made again, from the versions of what it assumes.
//
// A build is wanted when the state is not the one that was last built. What
// breaks code three times is restless: the next build assumes nothing of it, so
// that its updates no longer undo code, until it has kept still for a while.

#ifndef KARAKAL_HOST_UPDATEWATCH_H
#define KARAKAL_HOST_UPDATEWATCH_H

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace karakal::host {

class UpdateWatch {
public:
  static constexpr unsigned BreaksMax = 3;

  /// Watches `count` versions. One is no longer restless when it has not
  /// changed for `stillMs`.
  UpdateWatch(size_t count, double stillMs);

  /// Whether nothing has changed since nothing was wanted: a quick answer for
  /// nearly every burst.
  bool isSettled(const uint64_t *versions) const;
  /// Whether the state of `versions` should be built. Time goes forward.
  bool wantsBuild(const uint64_t *versions, double nowMs);
  /// Notes that the state of `versions` is built without `restless()`.
  void builds(const uint64_t *versions);
  /// Notes that a change of version `number` made code useless.
  void breaks(unsigned number);

  /// Numbers of the versions of which nothing should be assumed now.
  const std::set<unsigned> &restless() const { return restlessNow; }

private:
  struct Watched {
    uint64_t seen = 0, built = 0;
    double changedMs = 0;
    unsigned breaks = 0;
    bool isBuilt = false, isLeftOut = false;
  };
  std::vector<Watched> all;
  std::set<unsigned> restlessNow;
  /// The versions for which nothing was wanted; empty: not known.
  std::vector<uint64_t> settled;
  double stillMs;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_UPDATEWATCH_H
