// A log of everything that happens to one packet.
//
// Follows the packet with a given number, counted in the order of arrival: from
// its hand-over by Rx through every ring, with the source lines that the
// contexts run that hold it, every memory command that touches its buffer or
// descriptor, and the reason of a drop, to the frame that leaves and the return
// of its buffer. One line per event, in the order of time. As JSON, the log
// also has the instructions of these contexts, from the ring get that gave the
// packet to the put or free that ends it, and the bytes of the frames that
// leave.

#ifndef KARAKAL_SIM_IXP_OBSERVE_PACKETLOG_H
#define KARAKAL_SIM_IXP_OBSERVE_PACKETLOG_H

#include "sim-ixp/bus/Command.h"

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace karakal::sim {

/// The log of one packet.
class PacketLog {
public:
  /// Queries to the simulation.
  struct Sources {
    /// The number of the frame in the buffer of a handle.
    std::function<uint64_t(uint32_t handle)> numberOf;
    /// The location of an engine's instruction as " (file:line)", or empty.
    std::function<std::string(uint32_t engine, uint32_t pc)> locationOf;
    /// The text of the source line "file:line", or empty.
    std::function<std::string(const std::string &location)> lineOf;
    /// The current cycle.
    std::function<uint64_t()> now;
    /// An engine's instruction as text.
    std::function<std::string(uint32_t engine, uint32_t pc)> textOf;
  };
  /// What the log needs to know about the program.
  struct Program {
    uint32_t firstHandle = 0; ///< one buffer's; the next is `handleStep` more
    uint32_t handleStep = 1;
    uint32_t dropCounters = 0; ///< scratch address of the words by reason
    std::vector<std::string> dropReasons;
    std::vector<std::string> rings; ///< names by number
  };

  PacketLog(uint64_t number, Program program, Sources sources)
      : number(number), program(std::move(program)),
        sources(std::move(sources)) {}

  void onReceived(uint32_t handle, uint32_t ring);
  /// `by` is the command that causes it, or null.
  void onRing(bool isPut, uint32_t ring, uint32_t value, uint32_t actor,
              const Command *by);
  void onCommand(const Command &command);
  void onRefused(uint32_t handle);
  void onFreed(uint32_t handle, uint32_t actor, const Command *by);
  void onSent(uint64_t frameNumber, uint32_t port,
              const std::vector<uint8_t> &bytes);
  /// The core adds to a word of scratch.
  void onCoreAdd(uint32_t address);
  /// A context has issued the instructions [begin, end), the first at `cycle`.
  void onBlock(uint32_t engine, uint32_t context, uint64_t cycle, size_t begin,
               size_t end);

  /// The lines so far.
  const std::string &text() const { return lines; }
  /// The events so far; docs/statistics.md lists the keys.
  const nlohmann::json &json() const { return events; }

private:
  void add(const std::string &what, const Command *by = nullptr);
  void addLine(uint64_t cycle, const std::string &what);
  /// Adds to the last event.
  void note(const char *key, nlohmann::json value) {
    events.back()[key] = std::move(value);
  }
  std::string nameOf(const Command &command) const;
  std::string nameOf(uint32_t actor, const Command *by) const;
  std::string ringName(uint32_t ring) const;
  void addDrop(uint32_t counter, const Command *by);
  void addRun();
  void showLine(const std::string &location);

  uint64_t number;
  Program program;
  Sources sources;
  uint32_t followed = 0; ///< the packet's handle, 0 if it is not on the chip
  bool isAtCore = false; ///< the XScale core has taken it
  using EngineContext = std::pair<uint32_t, uint32_t>;
  std::optional<EngineContext> holder; ///< that has the packet

  /// The source lines that the holder has run since the last line of the log.
  struct Run {
    uint64_t cycle = 0;
    EngineContext who;
    std::string file; ///< of the last line
    std::string lastLocation;
    std::string text;
  };
  Run ran;
  std::string programLine;   ///< the last Baker line that the holder ran
  std::string shownLocation; ///< whose text the log shows last
  nlohmann::json events = nlohmann::json::array();
  std::string lines;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_PACKETLOG_H
