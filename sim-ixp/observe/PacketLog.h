// A log of everything that happens to one packet.
//
// Follows the packet with a given number, counted in the order of arrival: from
// its hand-over by Rx through every ring, with every memory command that
// touches its buffer or descriptor, to the frame that leaves and the return of
// its buffer. One line per event, in the order of time. As JSON, the log also
// has the instructions of the contexts that hold the packet, from the ring get
// that gave it to the put or free that ends it, and the bytes of the frames
// that leave.

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
    /// The current cycle.
    std::function<uint64_t()> now;
    /// An engine's instruction as text.
    std::function<std::string(uint32_t engine, uint32_t pc)> textOf;
  };

  /// Handles are `firstHandle`, `firstHandle` + `handleStep`, …, one per
  /// buffer.
  PacketLog(uint64_t number, uint32_t firstHandle, uint32_t handleStep,
            Sources sources)
      : number(number), firstHandle(firstHandle), handleStep(handleStep),
        sources(std::move(sources)) {}

  void onReceived(uint32_t handle, uint32_t ring);
  void onRing(bool isPut, uint32_t ring, uint32_t value, uint32_t actor);
  void onCommand(const Command &command);
  void onFreed(uint32_t handle, uint32_t actor);
  void onSent(uint64_t frameNumber, uint32_t port,
              const std::vector<uint8_t> &bytes);
  /// A context gets a message from a ring; onRing follows.
  void onGet(uint32_t engine, uint32_t context) { getter = {engine, context}; }
  /// A context has issued the instructions [begin, end), the first at `cycle`.
  void onBlock(uint32_t engine, uint32_t context, uint64_t cycle, size_t begin,
               size_t end);

  /// The lines so far.
  const std::string &text() const { return lines; }
  /// The events so far; docs/statistics.md lists the keys.
  const nlohmann::json &json() const { return events; }

private:
  void add(const std::string &what);
  /// Adds to the last event.
  void note(const char *key, nlohmann::json value) {
    events.back()[key] = std::move(value);
  }

  uint64_t number;
  uint32_t firstHandle;
  uint32_t handleStep;
  Sources sources;
  uint32_t followed = 0; ///< the packet's handle, 0 if it is not on the chip
  using EngineContext = std::pair<uint32_t, uint32_t>;
  std::optional<EngineContext> getter; ///< of the last message from a ring
  std::optional<EngineContext> holder; ///< that has the packet
  nlohmann::json events = nlohmann::json::array();
  std::string lines;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_PACKETLOG_H
