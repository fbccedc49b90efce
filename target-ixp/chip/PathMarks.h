// Marks of the paths that a packet takes through a program.
//
// The compiler marks where a packet passes a channel or is dropped, from the
// dialect through LLVM IR and the code generator
// (codegen-me/prepare/PathMarks.h) to the final words, so that the worst-case
// analysis can price the classes of a program's traffic apart
// (target-ixp/microcode/WorstCase.h).

#ifndef KARAKAL_TARGET_IXP_CHIP_PATHMARKS_H
#define KARAKAL_TARGET_IXP_CHIP_PATHMARKS_H

#include <cstdint>

namespace karakal::target {

/// What a packet does on the paths through a word.
struct PathMark {
  enum class Kind : uint8_t {
    Channel, ///< a packet passes a channel
    Drop,    ///< a packet is dropped
    Refresh, ///< copies of global data are read again
  };
  Kind kind = Kind::Channel;
  /// The number of the channel, or of the drop reason; 0 for a refresh.
  uint32_t number = 0;

  bool operator<(const PathMark &o) const {
    return kind != o.kind ? kind < o.kind : number < o.number;
  }
  bool operator==(const PathMark &o) const {
    return kind == o.kind && number == o.number;
  }
};

namespace intrinsic {
/// The calls that mark paths in LLVM IR, which yield no code: with the number
/// of the channel, or of the reason.
inline constexpr const char *PathChannel = "__ixp_path_channel";
inline constexpr const char *PathDrop = "__ixp_path_drop";
/// Without a number.
inline constexpr const char *PathRefresh = "__ixp_path_refresh";
/// Their prefix.
inline constexpr const char *PathPrefix = "__ixp_path_";
} // namespace intrinsic

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_PATHMARKS_H
