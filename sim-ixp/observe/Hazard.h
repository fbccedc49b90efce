// What is seen inside an engine.
//
// Hazards are what the hardware does not forbid and a program should not do:
// they are reported where they happen, once a place. A profile counts by
// instruction what the engine's cycles went into; it is kept only if asked for.

#ifndef KARAKAL_SIM_IXP_OBSERVE_HAZARD_H
#define KARAKAL_SIM_IXP_OBSERVE_HAZARD_H

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

/// Kinds of hazards; each is a bit in the engine's list of reported places.
enum class HazardKind : uint8_t {
  EarlyRead,      ///< of a transfer-in register before its data
  EarlyRewrite,   ///< of a transfer-out register before it was pulled
  LocalDelay,     ///< local memory inside the delay of its pointer
  Unaligned,      ///< the memory ignores low address bits that are set
  CrcDelay,       ///< a crc, or a look at its remainder, too soon behind one
  RunawayContext, ///< a context does not give up the engine
};

/// A hazard and its place.
struct Hazard {
  HazardKind kind;
  uint32_t engine;
  uint64_t cycle;
  std::string text; ///< with context, PC and source line
};

/// Cycles of an engine by the address of the instruction that cost them.
struct EngineProfile {
  explicit EngineProfile(size_t words)
      : lines(words + 1), aborted(words), stalled(words), waited(words),
        waits(words) {}

  /// A straight line of instructions [begin, end) was issued.
  void addLine(size_t begin, size_t end) {
    ++lines[begin];
    --lines[end];
  }
  /// How often the instruction at each address was issued.
  std::vector<uint64_t> issued() const;

  /// Lines that began at each address less those that ended in front of it.
  std::vector<int64_t> lines;
  std::vector<uint64_t> aborted; ///< dead slots behind it
  std::vector<uint64_t> stalled; ///< it waited for room in the command FIFO
  /// Cycles from the context's swap here to its next run, summed over
  /// contexts: the latency that others may have hidden; and how many swaps.
  std::vector<uint64_t> waited, waits;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_HAZARD_H
