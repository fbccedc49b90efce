// A timeline of the run for a viewer.
//
// Records a run in the Chrome trace format, which Perfetto and chrome://tracing
// open. Times are microseconds of chip time.
//
//   engine N      a process with a thread per context: its segments ("run") and
//                 its waits, named by what it waits for ("sram[read]")
//   units         a counter per unit: commands between issue and completion
//   packets       an asynchronous event per packet, from the ring that Rx puts
//                 it into to the wire or the free list, with a step for each
//                 ring in between
//
// A window of cycles keeps the timeline of a long run small, and a file that
// ends in ".gz" is compressed; Perfetto opens it as it is.

#ifndef KARAKAL_SIM_IXP_OBSERVE_TIMELINE_H
#define KARAKAL_SIM_IXP_OBSERVE_TIMELINE_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/observe/SegmentObserver.h"
#include "support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct gzFile_s; // zlib's gzFile points at it

namespace karakal::sim {

/// A step of a packet through the chip. When Tx refuses a packet, it drops it;
/// Freed follows.
enum class PacketStep : uint8_t { Put, Get, Sent, Freed, Refused };

/// The events of a run, each kind in the order of time.
class Timeline : public SegmentObserver, public CommandObserver {
public:
  /// Largest number of events recorded; later ones are counted and dropped.
  static constexpr uint64_t eventCountMax = 4000000;

  /// Counters of the trace, in the order of their names.
  enum Counter : uint8_t {
    Sram0, ///< followed by the other channels
    Scratch = 4,
    Dram,
    Cap,
    Hash,
    Msf,
    None
  };
  static constexpr uint32_t counterCount = None;
  /// The counter of the unit that a command goes to.
  static Counter counterOf(const Command &command);
  /// The name of a counter, such as "sram1".
  static const char *nameOf(uint32_t counter);

  void addSegment(uint32_t engine, uint32_t context, uint64_t begin,
                  uint64_t end) override;
  void addWait(uint32_t engine, uint32_t context, const Wait &wait) override;
  void onCommand(uint64_t cycle, const Command &command, bool isEnd) override;
  /// `ringOrPort` is a port for Sent, a ring otherwise.
  void addPacket(uint64_t cycle, uint64_t number, PacketStep step,
                 uint32_t ringOrPort);

  /// Records only what happens in the cycles [from, to).
  void setWindow(uint64_t from, uint64_t to) {
    windowBegin = from;
    windowEnd = to;
  }

  /// Names from the simulation: the roles of the engines, and what a context
  /// that gave up its engine at `pc` waits for.
  struct Names {
    std::vector<std::string> roles;
    std::function<std::string(uint32_t engine, uint32_t pc)> wait;
  };
  /// Writes the file, compressed if its name ends in ".gz". Error:
  /// E-sim-ixp-040 (it cannot be written).
  Status write(const std::string &path, uint64_t clockHz,
               const Names &names) const;

private:
  /// Span::pc of a segment.
  static constexpr uint16_t noPc = 0xffff;
  /// A segment, or a wait.
  struct Span {
    uint64_t begin;
    uint32_t cycles;
    uint16_t pc; ///< that gave up the engine; noPc for a segment
    uint8_t engine;
    uint8_t context;
  };
  /// A change of the number of commands at a unit.
  struct Level {
    uint64_t cycle;
    uint16_t commands;
    uint8_t unit;
  };
  struct Step {
    uint64_t cycle;
    uint64_t number;
    PacketStep step;
    uint8_t ringOrPort;
  };
  /// Counts an event; false if it is to be dropped.
  bool admitEvent();
  void addSpan(uint32_t engine, uint32_t context, uint64_t begin, uint64_t end,
               uint32_t pc);
  bool isInWindow(uint64_t cycle) const {
    return cycle >= windowBegin && cycle < windowEnd;
  }
  void writeSpans(gzFile_s *out, double microsecond, const Names &names) const;
  void writeLevels(gzFile_s *out, double microsecond) const;
  void writeSteps(gzFile_s *out, double microsecond) const;

  std::vector<Span> spans;
  std::vector<Level> levels;
  std::vector<Step> steps;
  std::array<uint16_t, counterCount> inFlight{};
  uint64_t windowBegin = 0, windowEnd = ~uint64_t{0};
  uint64_t recorded = 0;
  uint64_t dropped = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_TIMELINE_H
