// Marks of the paths that a packet takes through a program.
//
// Words of a program may carry marks that say what a packet does on the paths
// through them, so that the worst-case analysis can price the classes of a
// program's traffic apart (target-ixp/microcode/WorstCase.h).

#ifndef KARAKAL_TARGET_IXP_CHIP_PATHMARKS_H
#define KARAKAL_TARGET_IXP_CHIP_PATHMARKS_H

#include <cstdint>

namespace karakal::target {

/// What a packet does on the paths through a word.
struct PathMark {
  enum class Kind : uint8_t { Channel, Drop };
  Kind kind = Kind::Channel;
  /// The number of the channel, or of the drop reason.
  uint32_t number = 0;

  bool operator<(const PathMark &o) const {
    return kind != o.kind ? kind < o.kind : number < o.number;
  }
  bool operator==(const PathMark &o) const {
    return kind == o.kind && number == o.number;
  }
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_PATHMARKS_H
