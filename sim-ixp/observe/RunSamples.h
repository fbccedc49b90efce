// A run in a bounded number of windows.
//
// Divides a run into at most windowCountMax windows of equal length. When a
// window more would be needed, neighbours are merged and the length doubles, so
// a run of any length takes the same memory. Each window knows
//
//   - for each context, the cycles that it spent in each state: it ran, was
//     ready, or waited for a unit
//   - for each unit, the cycles for which it was busy and the sum of the
//     commands between issue and completion
//   - the packets so far, and the fill of each scratch ring at its end
//
// The first detailCycles of each window are kept exactly, as spans. One row for
// each packet says when it came, was taken and left.

#ifndef KARAKAL_SIM_IXP_OBSERVE_RUNSAMPLES_H
#define KARAKAL_SIM_IXP_OBSERVE_RUNSAMPLES_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/observe/SegmentObserver.h"
#include "sim-ixp/observe/Timeline.h"

#include <array>
#include <cstdint>
#include <vector>

namespace karakal::sim {

/// What a context does.
enum class Activity : uint8_t {
  Run,
  Ready,   ///< its signals have come, another context has the engine
  Scratch, ///< waits for a command of this unit
  Sram,
  Dram,
  Other, ///< waits for another unit, context or engine, or for the core
};
constexpr uint32_t activityCount = 6;

/// What has become of a packet.
enum class PacketFate : uint8_t { Inside, Forwarded, Dropped, Consumed };

/// The name of a fate: "inside", "forwarded", "dropped" or "consumed".
const char *fateName(PacketFate fate);

/// One packet. Cycles are 0 if they did not happen.
struct PacketRow {
  uint64_t received = 0; ///< Rx put it into its ring
  uint64_t taken = 0;    ///< an engine first took it from a ring
  uint64_t left = 0;     ///< the frame left, or the buffer was freed
  uint64_t latency = 0;  ///< cycles from the last bit in to the first bit out
  uint16_t port = 0;     ///< that it left through
  PacketFate fate = PacketFate::Inside;
};

/// A piece of the life of a context.
struct ContextSpan {
  uint64_t begin = 0;
  uint32_t cycles = 0;
  uint16_t pc = 0; ///< that gave up the engine, for a wait
  uint8_t engine = 0;
  uint8_t context = 0;
  Activity state = Activity::Run;
};

/// The samples of a run.
class RunSamples : public SegmentObserver, public CommandObserver {
public:
  static constexpr uint32_t windowCountMax = 400;
  static constexpr uint64_t windowCyclesFirst = 256;
  static constexpr uint64_t detailCycles = 2048;
  static constexpr uint32_t contextCount = 8;

  /// Totals since the start, at the end of a window.
  struct Totals {
    uint64_t cycle = 0;
    std::vector<uint64_t> busyCycles;    ///< by unit of the simulation
    std::vector<uint64_t> commandCycles; ///< by Timeline::Counter
    std::vector<uint32_t> ringWords;     ///< in each ring, at this cycle
    uint64_t received = 0, forwarded = 0, dropped = 0, consumed = 0;
  };

  /// Windows begin at `cycle`. `next` is told the same, unless it is null.
  void start(uint64_t cycle, Timeline *next);
  /// Whether a window has ended at `cycle`.
  bool isDue(uint64_t cycle) const { return cycle >= nextEnd; }
  /// Ends a window.
  void addTotals(Totals totals);

  void addSegment(uint32_t engine, uint32_t context, uint64_t begin,
                  uint64_t end) override;
  void addWait(uint32_t engine, uint32_t context, const Wait &wait) override;
  void onCommand(uint64_t cycle, const Command &command, bool isEnd) override;
  /// `actor` freed the buffer, for a packet that was not forwarded.
  void addPacket(uint64_t cycle, uint64_t number, PacketStep step);
  void setSent(uint64_t cycle, uint64_t number, uint32_t port,
               uint64_t latency);
  void setFate(uint64_t number, PacketFate fate);

  uint64_t beginCycle() const { return begin; }
  uint64_t windowCycles() const { return window; }
  const std::vector<Totals> &totals() const { return ends; }
  const std::vector<PacketRow> &packets() const { return rows; }
  const std::vector<ContextSpan> &spans() const { return details; }
  /// Cycles of a context in a state in a window, 0 for a window in which it
  /// did nothing.
  uint32_t cyclesIn(size_t index, uint32_t engine, uint32_t context,
                    Activity state) const;

private:
  using WindowStates =
      std::array<std::array<std::array<uint32_t, activityCount>, contextCount>,
                 engineCountMax>;
  /// The last command that raised a signal of a context.
  struct Raised {
    uint64_t cycle = 0; ///< it was complete
    Activity wait = Activity::Other;
  };
  static constexpr uint32_t signalCount = 16;

  void addSpan(const ContextSpan &span);
  void makeRoomFor(uint64_t cycle);
  void mergeNeighbours();
  PacketRow &row(uint64_t number);

  uint64_t begin = 0;
  uint64_t window = windowCyclesFirst;
  uint64_t nextEnd = 0;
  std::vector<Totals> ends;
  std::vector<WindowStates> states;
  std::vector<ContextSpan> details;
  std::vector<PacketRow> rows;
  std::array<std::array<std::array<Raised, signalCount>, contextCount>,
             engineCountMax>
      raised{};
  std::array<uint64_t, Timeline::counterCount> inFlight{}, commandCycles{};
  uint64_t commandCycle = 0;
  Timeline *timeline = nullptr;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_RUNSAMPLES_H
