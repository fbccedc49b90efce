// Buses between microengines and units.
//
// The chassis carries commands from the engines' FIFOs over one command bus a
// cluster to the units, pulls operands out of transfer-out registers, pushes
// results into transfer-in registers and raises event signals. Its buses are
// timelines: a transfer takes the first free cycles at or after the moment it
// may start, so waiting emerges from occupancy.
//
// A unit sees four calls:
//   pull(command, words, notBefore, unit)  reads `words` transfer-out registers
//       from command.xfer on, raises the command's signal with the last word
//       (unless raiseSignal is false) and calls unit->onPulled(command);
//   push(command, words, notBefore)  writes command.data into transfer-in
//       registers, raises the signal with the last word and ends the command;
//   finish(command, cycle)  ends a command without data; raises its signal;
//   autopush(...)  a push that no command asked for (MSF receive status).
// All return the cycle at which the last word is there. Bursts wrap inside the
// context's registers.

#ifndef KARAKAL_SIM_IXP_BUS_CHASSIS_H
#define KARAKAL_SIM_IXP_BUS_CHASSIS_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/bus/Scheduler.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace karakal::target {
struct ChipParameters;
}

namespace karakal::sim {

/// The engine's side of the chassis: its transfer registers and signals.
class TransferPort {
public:
  virtual ~TransferPort() = default;
  /// Reads `words` transfer-out registers of `context` from `first` on; they
  /// wrap inside the context's registers.
  virtual void readTransferOut(uint32_t context, TransferKind kind,
                               uint32_t first, uint32_t words,
                               uint32_t *to) = 0;
  /// Sets as many transfer-in registers.
  virtual void writeTransferIn(uint32_t context, TransferKind kind,
                               uint32_t first, uint32_t words,
                               const uint32_t *from) = 0;
  /// Sets event signals of `context`; bit n of `mask` is signal n.
  virtual void raiseSignals(uint64_t cycle, uint32_t context,
                            uint32_t mask) = 0;
};

/// How a unit divides its unloaded latency: from arrival to service (in which
/// operands are pulled) and from service to the first word on the push bus.
struct UnitTiming {
  uint64_t operandCycles = 0;
  uint64_t dataCycles = 0;
};

/// Buses, command pool and signals. See the file's header.
class Chassis final : public EventTarget {
public:
  static constexpr uint32_t engineMax = 16;

  Chassis(Scheduler &scheduler, const target::ChipParameters &parameters);

  Scheduler &scheduler() { return events; }
  const target::ChipParameters &parameters() const { return params; }
  /// Engines of each of the two clusters.
  uint32_t clusterEngines() const { return engineCount / 2; }

  /// Set-up: who answers for engine `index`, and who carries out the commands
  /// of a unit.
  void watch(CommandObserver *newWatcher) { watcher = newWatcher; }
  void connectEngine(uint32_t index, TransferPort *port);
  void connectUnit(target::FunctionalUnit which, CommandUnit *unit);

  // ---- engine side -------------------------------------------------------
  /// First cycle at which the engine's command FIFO has room; the engine stalls
  /// until then.
  uint64_t fifoFreeCycle(uint32_t engine) const {
    const Fifo &fifo = fifos[engine];
    return fifo.departures[(fifo.next + fifoMemory - fifoDepth) % fifoMemory];
  }
  /// A fresh command.
  Command &allocate() {
    if (freeCommands.empty())
      growPool();
    ++inFlight;
    Command &command = *freeCommands.back();
    freeCommands.pop_back();
    return command;
  }
  /// Sends a filled-in command at the scheduler's now; false if its unit is not
  /// connected.
  bool issue(Command &command);

  // ---- unit side ---------------------------------------------------------
  uint64_t pull(Command &command, uint32_t words, uint64_t notBefore,
                CommandUnit *unit, bool raiseSignal = true);
  uint64_t push(Command &command, uint32_t words, uint64_t notBefore);
  uint64_t finish(Command &command, uint64_t cycle);
  /// What `unit` has accepted and not yet served, in the order of arrival, the
  /// operands of each as they are (to be) pulled. For the core, whose accesses
  /// queue behind these.
  std::vector<Command *> waitingAt(const CommandUnit *unit);
  /// Splits an unloaded latency "issue to signal of a one-word read" so that
  /// request, service and return add up to it.
  UnitTiming timingOf(uint64_t latencyCycles) const;
  uint64_t autopush(uint32_t engine, uint32_t context, uint32_t xfer,
                    const uint32_t *words, uint32_t count, uint32_t signal,
                    uint64_t notBefore);
  /// Raises signals at `cycle` (not before now).
  void raise(uint32_t engine, uint32_t context, uint32_t mask, uint64_t cycle);

  /// Scratch ring status lines as the engines see them: bit n = ring n.
  uint32_t ringStatus() const { return ringStatusLines; }
  void setRingStatus(uint32_t ring, bool isOn);

  /// Commands in flight.
  uint32_t inFlightCount() const { return inFlight; }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  /// Largest depth of a command FIFO.
  static constexpr uint32_t fifoMemory = 64;
  struct Fifo {
    /// Departure cycles of the last commands, a ring.
    std::array<uint64_t, fifoMemory> departures{};
    uint32_t next = 0;
  };

  uint32_t clusterOf(uint32_t engine) const {
    return engine >= engineCount / 2;
  }
  [[gnu::cold]] void growPool();
  void release(Command &command);
  void copyOperands(Command &command);
  uint64_t reserve(uint64_t &busFree, uint64_t notBefore, uint64_t cycles) {
    uint64_t start = std::max({notBefore, busFree, events.now()});
    busFree = start + cycles;
    return busFree;
  }
  /// Number of the bus that moves the data of a command: that of the engine's
  /// cluster for S registers, and one for D registers.
  uint32_t busOf(const Command &command) const {
    return command.kind == TransferKind::S ? clusterOf(command.engine) : dBus;
  }
  static uint32_t signalMask(const Command &command);
  CommandUnit *unitFor(const Command &command) const {
    return units[static_cast<unsigned>(command.op)];
  }

  Scheduler &events;
  const target::ChipParameters &params;
  std::array<TransferPort *, engineMax> ports{};
  std::array<CommandUnit *, target::OpCount> units{}; ///< by operation
  std::array<Fifo, engineMax> fifos{};
  std::array<uint64_t, 2> commandBusFree{};
  static constexpr uint32_t dBus = 2;
  static constexpr uint32_t busCount = 3;
  std::array<uint64_t, busCount> pushFree{}, pullFree{};
  /// What a word takes on each bus, and the way of the first one behind it.
  std::array<uint64_t, busCount> wordCycles, pushPath;
  uint64_t commandPath = 0;
  uint32_t ringStatusLines = 0;
  uint32_t engineCount;
  uint32_t fifoDepth;
  uint32_t inFlight = 0;
  uint64_t arrivals = 0;
  CommandObserver *watcher = nullptr;
  std::vector<std::unique_ptr<Command>> pool;
  std::vector<Command *> freeCommands;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_CHASSIS_H
