// Reuse distances of memory accesses, up to millions of lines.
//
// The reuse distance of an access is the number of other lines that were used
// since the last use of its line. It tells whether the access hits in a cache
// of any size (Mattson et al., 1970). host/Locality.h keeps the last 64 lines,
// enough for the chip's caches; a cache of x86 has a million of them, so here a
// Fenwick tree over the times of last uses counts the lines, and a set of lines
// that grows beyond `sampledMax` is halved by a hash of the line (SHARDS,
// Waldspurger et al., 2015). A distance among every n-th line is an n-th.
//
// Cost: O(log sampledMax) for each access to a sampled line, a hash for others.

#ifndef KARAKAL_CODEGEN_X86_MODEL_REUSEDISTANCES_H
#define KARAKAL_CODEGEN_X86_MODEL_REUSEDISTANCES_H

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace karakal::x86 {

class ReuseDistances {
public:
  /// The distance of a line's first use.
  static constexpr uint64_t Never = ~uint64_t(0);

  struct Access {
    /// In lines, or `Never`.
    uint64_t distance;
    /// The accesses for which this one stands.
    double weight;
  };

  /// Keeps at most `sampledMax` lines, at least 2.
  explicit ReuseDistances(uint32_t sampledMax = 1u << 17);

  /// Notes an access. Nothing if the line is not in the sample.
  std::optional<Access> access(uint64_t line);

  /// The lines that were used, estimated from the sample.
  uint64_t lineCount() const { return lastUse.size() * spacing(); }

private:
  /// The lines of the program for each of the sample.
  uint64_t spacing() const { return uint64_t(1) << halvings; }
  bool isSampled(uint64_t line) const;
  void halveSample();
  void renumber();
  void mark(uint32_t time, int32_t change);
  uint32_t marksUpTo(uint32_t time) const;

  uint32_t sampledMax;
  uint32_t halvings = 0;
  /// The time of each line's last use, from 1.
  std::unordered_map<uint64_t, uint32_t> lastUse;
  /// A Fenwick tree: 1 at each time that is a line's last use.
  std::vector<int32_t> tree;
  uint32_t now = 0;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_REUSEDISTANCES_H
