// The buses between microengines and units.
//
// The chassis carries commands from the engines' FIFOs over one command bus per
// cluster to the units, pulls operands from transfer-out registers, pushes
// results into transfer-in registers and raises event signals. Every bus serves
// in the order of readiness and is never idle while a transfer is ready, so
// queueing delay follows from occupancy. A pull is ready as soon as the unit
// asks for it: these buses are granted at the call. A push is ready when the
// unit has the data, which it knows in advance (PushBus.h).
//
// A unit takes commands into its inlet, where they stay until it begins to
// serve them. A command is ready for the command bus when it is issued, the
// commands of its engine before it have left the FIFO, and its unit's inlet has
// a place; while no command waits for a place, the bus is granted at the issue.
// A place goes to the oldest command that waits for it as the first of its
// engine. So a unit that is too slow fills the engines' FIFOs, and then the
// engines stall.
//
// A unit uses four calls:
//   pull(command, words, unit)  reads `words` transfer-out registers from
//       command.xfer on, raises the command's signal with the last word
//       (unless raiseSignal is false) and calls unit->onPulled(command);
//       returns the cycle at which the last word has arrived;
//   push(command, words, ready)  writes command.data, which the unit has at
//       `ready`, into transfer-in registers, raises the signal with the last
//       word and ends the command;
//   finish(command, cycle)  ends a command without data and raises its signal;
//   autopush(...)  a push that no command asked for (MSF receive status).
// The D buses also connect DRAM with the buffers of the media interface, a
// quadword where an engine's registers take a word:
//   pullBuffer(quads)  moves quadwords from RBUF; returns the cycle at which
//       the last has arrived;
//   pushBuffer(command, quads, ready, unit)  moves quadwords to TBUF, and calls
//       unit->onMoved(command) when the last has arrived.
// A burst that reaches the end of the context's registers continues at the
// first one.

#ifndef KARAKAL_SIM_IXP_BUS_CHASSIS_H
#define KARAKAL_SIM_IXP_BUS_CHASSIS_H

#include "sim-ixp/bus/Command.h"
#include "sim-ixp/bus/Fifo.h"
#include "sim-ixp/bus/PushBus.h"
#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/bus/Server.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace karakal::target {
struct ChipParameters;
}

namespace karakal::sim {

/// The engine's side of the chassis: its transfer registers and signals.
class TransferPort {
public:
  virtual ~TransferPort() = default;
  /// Reads `words` transfer-out registers of `context` from `first` on, and
  /// wraps around inside the context's registers.
  virtual void readTransferOut(uint32_t context, TransferKind kind,
                               uint32_t first, uint32_t words,
                               uint32_t *to) = 0;
  /// Writes `words` transfer-in registers in the same way.
  virtual void writeTransferIn(uint32_t context, TransferKind kind,
                               uint32_t first, uint32_t words,
                               const uint32_t *from) = 0;
  /// Sets event signals of `context`; bit n of `mask` is signal n.
  virtual void raiseSignals(uint64_t cycle, uint32_t context,
                            uint32_t mask) = 0;
  /// A command that waited in the engine's FIFO for its unit has been granted
  /// the command bus.
  virtual void onFifoMoved() {}
};

/// How a unit divides its unloaded latency: cycles from arrival to service, in
/// which operands are pulled, and from service to the first word on the push
/// bus.
struct UnitTiming {
  uint64_t operandCycles = 0;
  uint64_t dataCycles = 0;
};

/// Buses, command pool and signals.
class Chassis final : public EventTarget {
public:
  Chassis(Scheduler &scheduler, const target::ChipParameters &parameters);

  Scheduler &scheduler() { return events; }
  const target::ChipParameters &parameters() const { return params; }
  /// Engines in each of the two clusters.
  uint32_t clusterEngines() const { return clusterSize; }

  // ---- set-up --------------------------------------------------------------
  /// At most one observer.
  void observe(CommandObserver *newObserver) { observer = newObserver; }
  void connectEngine(uint32_t index, TransferPort *port);
  /// `unit` carries out the commands of `which`.
  void connectUnit(target::FunctionalUnit which, CommandUnit *unit);

  // ---- engine side ---------------------------------------------------------
  /// First cycle at which the engine's command FIFO has space; the engine
  /// stalls until then. Scheduler::never while the FIFO's commands wait for a
  /// unit: TransferPort::onFifoMoved tells of the change.
  uint64_t fifoFreeCycle(uint32_t engine) const {
    const CommandFifo &fifo = fifos[engine];
    return fifo.departures[fifo.next];
  }
  /// A command from the pool; the caller fills in all fields.
  Command &allocate() {
    if (freeCommands.empty())
      growPool();
    ++inFlight;
    Command &command = *freeCommands.back();
    freeCommands.pop_back();
    return command;
  }
  /// Sends a command at the scheduler's now; false if its unit is not
  /// connected.
  bool issue(Command &command);

  // ---- unit side -----------------------------------------------------------
  uint64_t pull(Command &command, uint32_t words, CommandUnit *unit,
                bool raiseSignal = true);
  void push(Command &command, uint32_t words, uint64_t ready);
  void finish(Command &command, uint64_t cycle);
  uint64_t pullBuffer(uint32_t quads);
  void pushBuffer(Command &command, uint32_t quads, uint64_t ready,
                  CommandUnit *unit);
  void autopush(uint32_t engine, uint32_t context, uint32_t xfer,
                const uint32_t *words, uint32_t count, uint32_t signal,
                uint64_t ready);
  /// The unit begins to serve the command. `push` and `finish` call it.
  void leaveInlet(Command &command) {
    if (command.inlet == noInlet)
      return;
    uint32_t inlet = std::exchange(command.inlet, noInlet);
    --inlets[inlet].taken;
    if (__builtin_expect(inlets[inlet].waiting != 0, false))
      grantPlace(inlet);
  }
  /// Raises signals at `cycle`, or now if that is later.
  void raise(uint32_t engine, uint32_t context, uint32_t mask, uint64_t cycle);
  /// The commands that `unit` has accepted and not yet performed, in the order
  /// of arrival, each with its operands, pulled or not. The XScale core's
  /// accesses queue after them.
  std::vector<Command *> pendingAt(const CommandUnit *unit);
  /// Divides `latencyCycles`, the unloaded latency of a one-word read, so that
  /// request, service and return add up to it.
  UnitTiming timingOf(uint64_t latencyCycles) const;

  /// Ring-full flags of the scratch rings as the engines see them: bit n is
  /// ring n.
  uint32_t ringFlags() const { return ringFlagBits; }
  void setRingFlag(uint32_t ring, bool isOn);

  /// The command bus of a cluster.
  const Server &commandBus(uint32_t cluster) const {
    return commandBuses[cluster];
  }
  /// The buses for data: that for S registers of each cluster, and the D bus.
  static constexpr uint32_t busCount = 3;
  const Server &pullBus(uint32_t bus) const { return pullBuses[bus]; }
  const PushBus &pushBus(uint32_t bus) const { return pushBuses[bus]; }

  /// Commands in flight.
  uint32_t inFlightCount() const { return inFlight; }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  /// Largest depth of a command FIFO.
  static constexpr uint32_t fifoDepthMax = 64;
  struct alignas(64) CommandFifo {
    Fifo<Command *> waiting;
    /// The element of the next command. Until then it has the cycle at which
    /// there is space for that command.
    uint32_t next = 0;
    /// Cycles at which the last commands left, a circular buffer of the FIFO's
    /// depth; Scheduler::never for those that wait for a unit.
    std::array<uint64_t, fifoDepthMax> departures{};
  };
  /// The part of a unit's queue that the command bus sees.
  struct Inlet {
    uint32_t places = 0;
    uint32_t taken = 0;
    /// Bit n: the first command that waits in engine n's FIFO waits for a place
    /// here.
    uint32_t waiting = 0;
  };
  static constexpr uint32_t noInlet = ~0u;
  static constexpr uint32_t sramInlets = 4; ///< one for each channel

  uint32_t clusterOf(uint32_t engine) const { return engine >= clusterSize; }
  uint32_t inletOf(const Command &command) const {
    uint32_t unit = inletOfOp[static_cast<unsigned>(command.op)];
    return unit == 0 ? command.address >> 30 : unit;
  }
  bool hasPlace(uint32_t inlet) const {
    return inlets[inlet].taken < inlets[inlet].places;
  }
  void depart(Command &command, uint64_t &departure);
  void grantPlace(uint32_t inlet);
  void advance(uint32_t engine);
  [[gnu::cold]] void growPool();
  void release(Command &command);
  void copyOperands(Command &command);
  bool isPushOver(uint64_t cycle, uint32_t code, Command &command);
  void pushed(uint64_t cycle, Command &command);
  /// Grants a bus for `cycles` to what is ready at `ready`, which no call
  /// before this one exceeds; returns the cycle after the last of them.
  static uint64_t grant(Server &bus, uint64_t ready, uint64_t cycles) {
    return bus.reserve(ready, cycles) + cycles;
  }
  /// The bus that moves a command's data: the one of the engine's cluster for S
  /// registers, and one for all D registers.
  uint32_t busOf(const Command &command) const {
    return command.kind == TransferKind::S ? clusterOf(command.engine) : dBus;
  }
  static uint32_t signalMask(const Command &command);
  CommandUnit *unitFor(const Command &command) const {
    return units[static_cast<unsigned>(command.op)];
  }

  Scheduler &events;
  const target::ChipParameters &params;
  std::array<TransferPort *, engineCountMax> ports{};
  std::array<CommandUnit *, target::OpCount> units{}; ///< by operation
  std::array<CommandFifo, engineCountMax> fifos{};
  /// The inlet of each operation's unit. Channel n of SRAM has inlet n.
  std::array<uint8_t, target::OpCount> inletOfOp{};
  std::array<Inlet, 16> inlets{};
  uint64_t issues = 0;
  std::array<Server, 2> commandBuses;
  static constexpr uint32_t dBus = 2;
  std::array<Server, busCount> pullBuses;
  std::array<PushBus, busCount> pushBuses;
  /// Cycles of a word on each bus, and cycles from the bus to the engine.
  std::array<uint64_t, busCount> wordCycles, pushPath;
  /// Cycles from the command bus to the unit.
  uint64_t commandPath = 0;
  uint32_t ringFlagBits = 0;
  uint32_t engineCount;
  uint32_t clusterSize; ///< engines of a cluster
  uint32_t fifoDepth;
  uint32_t inFlight = 0;
  uint64_t arrivals = 0;
  CommandObserver *observer = nullptr;
  std::vector<std::unique_ptr<Command>> pool;
  std::vector<Command *> freeCommands;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_CHASSIS_H
