// What the units tell the statistics.
//
// Units report what cannot be counted locally: the life of packet buffers, a
// frame received or sent, and faults. The accounting and the statistics listen.
// Actors are the engines 0..15 and the XScale.

#ifndef KARAKAL_SIM_IXP_OBSERVE_CHIPOBSERVER_H
#define KARAKAL_SIM_IXP_OBSERVE_CHIPOBSERVER_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/observe/Hazard.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace karakal::sim {

/// The number of the XScale among the actors (engines are 0..15).
constexpr uint32_t xscaleActor = 16;

/// Listener of the local memories of engines.
class LocalMemoryObserver {
public:
  virtual ~LocalMemoryObserver() = default;
  /// An instruction reads a word of local memory.
  virtual void onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                           uint32_t value) = 0;
};

/// Listener of what the program's engines send, and of their packets.
class ProgramObserver {
public:
  virtual ~ProgramObserver() = default;
  virtual void onCommand(const Command &command) = 0;
  /// A context got a message from a ring.
  virtual void onNewPacket(uint32_t engine, uint32_t context) = 0;
};

/// Listener of the whole chip.
class ChipObserver {
public:
  virtual ~ChipObserver() = default;

  /// Who knows " (file:line)" of an engine's instruction.
  using PlaceOf = std::function<std::string(uint32_t engine, uint32_t pc)>;
  void askForPlaces(PlaceOf who) { placeOf = std::move(who); }
  /// As onFault below, of a command: with its context and instruction.
  void onFault(const Command &command, const std::string &what) {
    onFault(command.engine, "context " + std::to_string(command.context) +
                                ", PC " + std::to_string(command.pc) +
                                (placeOf ? placeOf(command.engine, command.pc)
                                         : std::string()) +
                                ": " + what);
  }

  /// An engine sent a command.
  virtual void onCommand(const Command &command) {}
  /// A buffer left or came back to a queue of the queue array.
  virtual void onDequeue(uint32_t channel, uint32_t entry, uint32_t handle,
                         uint32_t actor) {}
  virtual void onEnqueue(uint32_t channel, uint32_t entry, uint32_t handle,
                         uint32_t actor) {}
  /// A ring get found the ring empty, or at least one word.
  virtual void onEmptyGet(const Command &command) {}
  virtual void onFilledGet(const Command &command) {}
  /// A message went through a ring.
  virtual void onRingPut(uint32_t ring, uint32_t value, uint32_t actor) {}
  virtual void onRingGet(uint32_t ring, uint32_t value, uint32_t actor) {}
  /// The media interface: a frame of `bytes` (without CRC) was taken in whole,
  /// was lost because there was no room, or was sent.
  virtual void onFrameReceived(uint64_t cycle, uint32_t port, uint32_t bytes) {}
  virtual void onFrameLost(uint64_t cycle, uint32_t port, uint32_t bytes) {}
  virtual void onFrameSent(uint64_t cycle, uint32_t port, uint32_t bytes) {}
  /// The program did what the hardware would not forgive; the run ends with
  /// this message. `engine` may be xscaleActor.
  virtual void onFault(uint32_t engine, const std::string &what) {}
  /// The program did what it should not; reported once a place.
  virtual void onHazard(const Hazard &hazard) {}
  /// An engine is at a place where the run is to stop; `state` describes it.
  virtual void onBreak(uint32_t engine, const std::string &state) {}

private:
  PlaceOf placeOf;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_CHIPOBSERVER_H
