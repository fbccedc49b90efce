// The cost of a message on an engine and the units of the chip.
//
// A message is one iteration of an aggregate's dispatch loop: it takes a packet
// from a ring and handles it. The average cost of a message (AverageCost.h),
// its worst case (WorstCase.h) and the estimate of a PPF that has no code yet
// (aggregation/model/PpfCost.h) are all given as a MessageCost.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_MESSAGECOST_H
#define KARAKAL_TARGET_IXP_MICROCODE_MESSAGECOST_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/Memories.h"
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace karakal::target {

/// A unit that all engines share. The read port (Sram0 to Sram3) and the write
/// port of an SRAM channel work in parallel. A chip may have fewer channels.
enum class SharedUnit {
  Scratch,
  Sram0,
  Sram1,
  Sram2,
  Sram3,
  Sram0Write,
  Sram1Write,
  Sram2Write,
  Sram3Write,
  Dram,
  Hash
};
inline constexpr size_t sharedUnitCount = 11;
static_assert(size_t(SharedUnit::Hash) + 1 == sharedUnitCount,
              "every shared unit has its figures");

/// The name in reports: "scratch", "sram0_read", "sram0_write".
const char *sharedUnitName(SharedUnit unit);
/// The read port of an SRAM channel, and its write port.
SharedUnit readPort(uint32_t channel);
SharedUnit writePort(uint32_t channel);
/// The SRAM channel that the unit is a port of, or nothing.
std::optional<uint32_t> channelOf(SharedUnit unit);
/// The unit that serves reads of a memory that all engines share.
SharedUnit unitOf(Memory memory);
/// The units that the chip has.
std::vector<SharedUnit> unitsOf(const ChipParameters &chip);

/// The cost of one message, in engine cycles.
struct MessageCost {
  /// Cycles in which the engine issues an instruction or aborts one.
  double issue = 0;
  /// Cycles in which the context waits for commands, on idle units.
  double latency = 0;
  /// Compute segments, each from one context swap to the next, and the sum of
  /// the squares of their cycles; 0 without code.
  double segments = 0, segmentSquares = 0;
  /// By unit: cycles in which commands occupy it, number of commands, and the
  /// sum of the squares of their cycles.
  std::array<double, sharedUnitCount> busy{}, commands{}, squares{};
  /// Cycles in which a lock that all engines share is held, without waits for
  /// the engine, and context swaps in this time.
  double locked = 0, lockedSwaps = 0;
  /// Messages to Tx, and those of them without the packet's head and length,
  /// for which Tx reads the descriptor.
  double sent = 0, sentWithoutHead = 0;

  MessageCost &operator+=(const MessageCost &other);
  friend MessageCost operator+(MessageCost a, const MessageCost &b) {
    return a += b;
  }
  friend MessageCost operator*(MessageCost a, double times);
  double &busyOf(SharedUnit unit) { return busy[size_t(unit)]; }
  /// Scales the lock times to those of one lock, `part` of all.
  void shareLocks(double part) {
    locked *= part;
    lockedSwaps *= part;
  }
  /// Adds `times` commands that occupy the unit for `cycles` each.
  void addCommands(SharedUnit unit, double times, double cycles) {
    busy[size_t(unit)] += times * cycles;
    commands[size_t(unit)] += times;
    squares[size_t(unit)] += times * cycles * cycles;
  }
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_MESSAGECOST_H
