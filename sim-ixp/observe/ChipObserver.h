// What the units report to observers.
//
// Units report what they cannot count themselves: where packet buffers go,
// frames received and sent, and faults. The packet accounting and the tests
// implement these interfaces. Actors are the engines 0..15 and the XScale core
// (xscaleActor).

#ifndef KARAKAL_SIM_IXP_OBSERVE_CHIPOBSERVER_H
#define KARAKAL_SIM_IXP_OBSERVE_CHIPOBSERVER_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/observe/Hazard.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace karakal::sim {

/// Observes reads of the engines' local memories.
class LocalMemoryObserver {
public:
  virtual ~LocalMemoryObserver() = default;
  /// An instruction reads `value` from a word of local memory.
  virtual void onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                           uint32_t value) = 0;
};

/// Observes the application engines: the commands they issue and the packets
/// they receive.
class ProgramObserver {
public:
  virtual ~ProgramObserver() = default;
  virtual void onCommand(const Command &command) = 0;
  /// A context got a message from a ring.
  virtual void onNewPacket(uint32_t engine, uint32_t context) = 0;
};

/// Observes the whole chip.
class ChipObserver {
public:
  virtual ~ChipObserver() = default;

  /// Returns the source location of an engine's instruction as " (file:line)",
  /// or an empty string.
  using LocationOf = std::function<std::string(uint32_t engine, uint32_t pc)>;
  /// Where faults of commands take their source location from.
  void setLocations(LocationOf newLocations) {
    locationOf = std::move(newLocations);
  }
  /// Reports a fault of a command, with its context and instruction.
  void onFault(const Command &command, const std::string &what) {
    onFault(command.engine,
            "context " + std::to_string(command.context) + ", PC " +
                std::to_string(command.pc) +
                (locationOf ? locationOf(command.engine, command.pc)
                            : std::string()) +
                ": " + what);
  }

  /// An engine issued a command.
  virtual void onCommand(const Command &command) {}
  /// A buffer left a queue of the queue array, or came back to it.
  virtual void onDequeue(uint32_t channel, uint32_t entry, uint32_t handle,
                         uint32_t actor) {}
  virtual void onEnqueue(uint32_t channel, uint32_t entry, uint32_t handle,
                         uint32_t actor) {}
  /// A ring get found the ring empty, or at least one word in it.
  virtual void onEmptyGet(const Command &command) {}
  virtual void onFilledGet(const Command &command) {}
  /// A message was put into a ring or taken from it; `value` is its first word.
  virtual void onRingPut(uint32_t ring, uint32_t value, uint32_t actor) {}
  virtual void onRingGet(uint32_t ring, uint32_t value, uint32_t actor) {}
  /// The same events by a command of an engine.
  void onDequeue(uint32_t channel, uint32_t entry, uint32_t handle,
                 const Command &by) {
    served = &by;
    onDequeue(channel, entry, handle, by.engine);
    served = nullptr;
  }
  void onEnqueue(uint32_t channel, uint32_t entry, uint32_t handle,
                 const Command &by) {
    served = &by;
    onEnqueue(channel, entry, handle, by.engine);
    served = nullptr;
  }
  void onRingPut(uint32_t ring, uint32_t value, const Command &by) {
    served = &by;
    onRingPut(ring, value, by.engine);
    served = nullptr;
  }
  void onRingGet(uint32_t ring, uint32_t value, const Command &by) {
    served = &by;
    onRingGet(ring, value, by.engine);
    served = nullptr;
  }
  /// The core adds to a word of scratch.
  virtual void onCoreAdd(uint32_t address) {}
  /// The media interface received a whole frame of `bytes` (without CRC), lost
  /// one for lack of space, or sent one.
  virtual void onFrameReceived(uint64_t cycle, uint32_t port, uint32_t bytes) {}
  virtual void onFrameLost(uint64_t cycle, uint32_t port, uint32_t bytes) {}
  virtual void onFrameSent(uint64_t cycle, uint32_t port, uint32_t bytes) {}
  /// The program did what the hardware does not tolerate; the run ends with
  /// this message. `actor` is an engine or xscaleActor.
  virtual void onFault(uint32_t actor, const std::string &what) {}
  /// The program did what it should not; reported once per instruction.
  virtual void onHazard(const Hazard &hazard) {}
  /// Whether a context that has reached a breakpoint is to stop there.
  virtual bool stopsAt(uint32_t engine, uint32_t context) { return true; }
  /// An engine stops at a breakpoint; `state` describes the engine.
  virtual void onBreak(uint32_t engine, const std::string &state) {}

protected:
  /// The command that causes the present event; null if the core does.
  const Command *served = nullptr;

private:
  LocationOf locationOf;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_CHIPOBSERVER_H
