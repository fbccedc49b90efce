// What happened when, for a viewer.
//
// Records a run in the Chrome trace format (open it in Perfetto or
// chrome://tracing), times in microseconds of chip time:
//
//   engine N      a process; a thread for each context, with its runs ("run")
//                 and its waits, named by what they wait for ("sram[read]")
//   units         a counter for each unit: commands on their way to it, in it
//                 and back
//   packets       an asynchronous event for each packet, from the ring that Rx
//                 puts it into to the wire or the free list, with a step for
//                 each ring between

#ifndef KARAKAL_SIM_IXP_OBSERVE_TIMELINE_H
#define KARAKAL_SIM_IXP_OBSERVE_TIMELINE_H

#include "sim-ixp/bus/Command.h"
#include "support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace karakal::sim {

/// Where a packet is.
enum class PacketStep : uint8_t { Put, Get, Sent, Freed };

/// The events of a run, each kind in the order of time.
class Timeline : public CommandObserver {
public:
  /// Events kept; later ones are counted and left out.
  static constexpr uint64_t eventCountMax = 4000000;

  void addRun(uint32_t engine, uint32_t context, uint64_t begin, uint64_t end);
  /// A wait that the instruction at `pc` began.
  void addWait(uint32_t engine, uint32_t context, uint64_t begin, uint64_t end,
               uint32_t pc);
  void onCommand(uint64_t cycle, const Command &command, bool isEnd) override;
  /// `place` is a ring, or for Sent a port.
  void addPacket(uint64_t cycle, uint64_t number, PacketStep step,
                 uint32_t place);

  /// What the writer asks the run: the names of the engines' roles, and what an
  /// engine waits for at an address.
  struct Names {
    std::vector<std::string> roles;
    std::function<std::string(uint32_t engine, uint32_t pc)> wait;
  };
  /// Error: E-sim-ixp-040 (cannot be written).
  Status write(const std::string &path, uint64_t clockHz,
               const Names &names) const;

private:
  static constexpr uint32_t isRun = 0xffff;
  struct Span {
    uint64_t begin;
    uint32_t cycles;
    uint16_t pc; ///< isRun: no wait
    uint8_t engine;
    uint8_t context;
  };
  struct Level {
    uint64_t cycle;
    uint16_t commands;
    uint8_t unit;
  };
  struct Step {
    uint64_t cycle;
    uint64_t number;
    PacketStep step;
    uint8_t place;
  };
  /// Counters of the trace, in the order in which it names them.
  enum Counter : uint8_t {
    Sram0, ///< and the other channels
    Scratch = 4,
    Dram,
    Cap,
    Hash,
    Msf,
    None
  };
  static constexpr uint32_t counterCount = None;
  static Counter counterOf(const Command &command);

  /// Whether one more event is kept.
  bool keeps();
  void writeSpans(FILE *out, double microsecond, const Names &names) const;
  void writeLevels(FILE *out, double microsecond) const;
  void writeSteps(FILE *out, double microsecond) const;

  std::vector<Span> spans;
  std::vector<Level> levels;
  std::vector<Step> steps;
  std::array<uint16_t, counterCount> now{};
  uint64_t kept = 0;
  uint64_t leftOut = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_TIMELINE_H
