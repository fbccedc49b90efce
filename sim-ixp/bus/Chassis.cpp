// The buses between microengines and units.
//
// The command bus is granted in the order of issue. Engines issue in the order
// of cycle and engine number, so granting the bus at issue arbitrates it, but
// for commands whose unit has no place.

#include "sim-ixp/bus/Chassis.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipLayout.h"

#include <algorithm>

namespace karakal::sim {
namespace {

enum EventCode : uint32_t {
  Arrived,
  Pulled,
  PulledWithoutSignal,
  Pushed,
  BufferPushed,
  Signalled
};

/// The argument of Signalled: engine, context and mask in one word.
uint64_t packSignals(uint32_t engine, uint32_t context, uint32_t mask) {
  return uint64_t{engine} << 40 | uint64_t{context} << 32 | mask;
}

} // namespace

Chassis::Chassis(Scheduler &scheduler, const target::ChipParameters &parameters)
    : events(scheduler), params(parameters),
      engineCount(static_cast<uint32_t>(parameters.meCount)),
      clusterSize(target::clusterEngineCount(parameters)),
      fifoDepth(static_cast<uint32_t>(parameters.meCommandFifo)) {
  KARAKAL_ASSERT(engineCount <= engineCountMax, "more engines than ports");
  KARAKAL_ASSERT(fifoDepth <= fifoDepthMax,
                 "the command FIFO is deeper than its record");
  pool.reserve(256);
  freeCommands.reserve(256);
  // The request includes the cycle after the issue and the bus grant.
  uint64_t granted = 1 + params.busCommandCycles;
  wordCycles = {params.busPushWordCycles, params.busPushWordCycles,
                params.busDramWordCycles};
  for (uint32_t bus = 0; bus < busCount; ++bus)
    pushPath[bus] =
        std::max(params.busReturnCycles, wordCycles[bus]) - wordCycles[bus];
  commandPath =
      params.busRequestCycles > granted ? params.busRequestCycles - granted : 0;
}

UnitTiming Chassis::timingOf(uint64_t latencyCycles) const {
  uint64_t outside = params.busRequestCycles + params.busReturnCycles;
  uint64_t inside = latencyCycles > outside ? latencyCycles - outside : 0;
  UnitTiming timing;
  timing.operandCycles =
      std::min(inside, params.busReturnCycles + params.busPushWordCycles);
  timing.dataCycles = inside - timing.operandCycles;
  return timing;
}

void Chassis::connectEngine(uint32_t index, TransferPort *port) {
  KARAKAL_ASSERT(index < engineCount, "no such engine");
  ports[index] = port;
}

void Chassis::connectUnit(target::FunctionalUnit which, CommandUnit *unit) {
  KARAKAL_ASSERT(which != target::FunctionalUnit::None, "no unit is named");
  bool isSram = which == target::FunctionalUnit::Sram;
  uint32_t inlet = isSram ? 0 : sramInlets + static_cast<uint32_t>(which);
  KARAKAL_ASSERT(inlet < inlets.size(), "more units than inlets");
  uint64_t channels =
      which == target::FunctionalUnit::Dram ? params.dramChannels : 1;
  for (uint32_t i = 0; i < (isSram ? sramInlets : 1); ++i)
    inlets[inlet + i].places =
        static_cast<uint32_t>(params.busInlet * channels);
  for (unsigned op = 0; op < target::OpCount; ++op)
    if (target::unitOf(static_cast<target::Op>(op)) == which) {
      units[op] = unit;
      inletOfOp[op] = static_cast<uint8_t>(inlet);
    }
}

void Chassis::growPool() {
  pool.push_back(std::make_unique<Command>());
  freeCommands.push_back(pool.back().get());
}

void Chassis::release(Command &command) {
  KARAKAL_ASSERT(inFlight > 0, "a command is given back twice");
  KARAKAL_ASSERT(command.inlet == noInlet, "a command ends in the inlet");
  --inFlight;
  if (observer)
    observer->onCommand(events.now(), command, true);
  freeCommands.push_back(&command);
}

bool Chassis::issue(Command &command) {
  if (!unitFor(command))
    return false;
  command.wordsInTransit = 0;
  if (observer)
    observer->onCommand(events.now(), command, false);
  command.inlet = inletOf(command);
  CommandFifo &fifo = fifos[command.engine];
  uint64_t &departure = fifo.departures[fifo.next];
  fifo.next = fifo.next + 1 == fifoDepth ? 0 : fifo.next + 1;
  if (__builtin_expect(fifo.waiting.empty() && hasPlace(command.inlet), true)) {
    depart(command, departure);
    return true;
  }
  departure = Scheduler::never;
  command.arrivalNumber = ++issues;
  if (fifo.waiting.empty())
    inlets[command.inlet].waiting |= 1u << command.engine;
  fifo.waiting.push_back(&command);
  return true;
}

/// Takes a place at the unit and grants the command bus.
[[gnu::always_inline]] inline void Chassis::depart(Command &command,
                                                   uint64_t &departure) {
  ++inlets[command.inlet].taken;
  departure = grant(commandBuses[clusterOf(command.engine)], events.now() + 1,
                    params.busCommandCycles);
  events.schedule(departure + commandPath, this, Arrived,
                  eventArgument(command));
}

/// Gives a free place to the oldest of the commands that wait for it.
void Chassis::grantPlace(uint32_t inlet) {
  uint32_t rest = inlets[inlet].waiting;
  uint32_t oldest = static_cast<uint32_t>(__builtin_ctz(rest));
  while ((rest &= rest - 1) != 0) {
    uint32_t engine = static_cast<uint32_t>(__builtin_ctz(rest));
    bool isOlder = fifos[engine].waiting.front()->arrivalNumber <
                   fifos[oldest].waiting.front()->arrivalNumber;
    oldest = KARAKAL_UNPREDICTABLE(isOlder) ? engine : oldest;
  }
  advance(oldest);
}

/// Sends the commands that wait in an engine's FIFO, up to the first whose unit
/// has no place.
void Chassis::advance(uint32_t engine) {
  CommandFifo &fifo = fifos[engine];
  inlets[fifo.waiting.front()->inlet].waiting &= ~(1u << engine);
  while (!fifo.waiting.empty() && hasPlace(fifo.waiting.front()->inlet)) {
    uint32_t slot =
        fifo.next + fifoDepth - static_cast<uint32_t>(fifo.waiting.size());
    Command &command = *fifo.waiting.front();
    fifo.waiting.pop_front();
    depart(command, fifo.departures[slot % fifoDepth]);
  }
  if (!fifo.waiting.empty())
    inlets[fifo.waiting.front()->inlet].waiting |= 1u << engine;
  ports[engine]->onFifoMoved();
}

uint32_t Chassis::signalMask(const Command &command) {
  if (command.signal == 0)
    return 0;
  return (command.isSignalPair ? 3u : 1u) << command.signal;
}

uint64_t Chassis::pull(Command &command, uint32_t words, CommandUnit *unit,
                       bool raiseSignal) {
  KARAKAL_ASSERT(words <= command.data.size(),
                 "a pull is longer than a command's data");
  command.wordsInTransit = static_cast<uint8_t>(words);
  command.puller = unit;
  uint32_t bus = busOf(command);
  uint64_t done = grant(pullBuses[bus], events.now(), words * wordCycles[bus]) +
                  params.busReturnCycles;
  events.schedule(done, this, raiseSignal ? Pulled : PulledWithoutSignal,
                  eventArgument(command));
  return done;
}

void Chassis::push(Command &command, uint32_t words, uint64_t ready) {
  KARAKAL_ASSERT(words <= command.data.size(),
                 "a push is longer than a command's data");
  KARAKAL_ASSERT(ready >= events.now(), "data were ready in the past");
  leaveInlet(command);
  command.wordsInTransit = static_cast<uint8_t>(words);
  uint32_t bus = busOf(command);
  pushBuses[bus].announce(command, ready, words * wordCycles[bus]);
  events.schedule(command.transferEnd + pushPath[bus], this, Pushed,
                  eventArgument(command));
}

uint64_t Chassis::pullBuffer(uint32_t quads) {
  return grant(pullBuses[dBus], events.now(), quads * wordCycles[dBus]) +
         params.busReturnCycles;
}

void Chassis::pushBuffer(Command &command, uint32_t quads, uint64_t ready,
                         CommandUnit *unit) {
  KARAKAL_ASSERT(ready >= events.now(), "data were ready in the past");
  leaveInlet(command);
  command.kind = TransferKind::D;
  command.puller = unit;
  pushBuses[dBus].announce(command, ready, quads * wordCycles[dBus]);
  events.schedule(command.transferEnd + pushPath[dBus], this, BufferPushed,
                  eventArgument(command));
}

/// Whether the last word of a push has arrived: other transfers may have
/// delayed it since its event was scheduled.
bool Chassis::isPushOver(uint64_t cycle, uint32_t code, Command &command) {
  uint32_t bus = busOf(command);
  uint64_t arrival = command.transferEnd + pushPath[bus];
  if (__builtin_expect(arrival != cycle, false)) {
    events.schedule(arrival, this, code, eventArgument(command));
    return false;
  }
  pushBuses[bus].finish(command);
  return true;
}

void Chassis::pushed(uint64_t cycle, Command &command) {
  if (!isPushOver(cycle, Pushed, command))
    return;
  TransferPort *port = ports[command.engine];
  port->writeTransferIn(command.context, command.kind, command.xfer,
                        command.wordsInTransit, command.data.data());
  if (command.signal != 0)
    port->raiseSignals(cycle, command.context, signalMask(command));
  release(command);
}

void Chassis::finish(Command &command, uint64_t cycle) {
  leaveInlet(command);
  raise(command.engine, command.context, signalMask(command), cycle);
  release(command);
}

void Chassis::copyOperands(Command &command) {
  ports[command.engine]->readTransferOut(command.context, command.kind,
                                         command.xfer, command.wordsInTransit,
                                         command.data.data());
}

std::vector<Command *> Chassis::pendingAt(const CommandUnit *unit) {
  std::vector<Command *> pending;
  for (const auto &command : pool)
    if (command->pendingAt == unit)
      pending.push_back(command.get());
  std::sort(pending.begin(), pending.end(), [](Command *a, Command *b) {
    return a->arrivalNumber < b->arrivalNumber;
  });
  for (Command *command : pending) {
    copyOperands(*command);
    // The pull that is under way must not overwrite the command's result.
    command->wordsInTransit = 0;
  }
  return pending;
}

void Chassis::autopush(uint32_t engine, uint32_t context, uint32_t xfer,
                       const uint32_t *words, uint32_t count, uint32_t signal,
                       uint64_t ready) {
  KARAKAL_ASSERT(engine < engineCount && ports[engine],
                 "an autopush to an engine that is not there");
  Command &command = allocate();
  command.engine = static_cast<uint8_t>(engine);
  command.context = static_cast<uint8_t>(context);
  command.xfer = static_cast<uint8_t>(xfer);
  command.kind = TransferKind::S;
  command.op = Command::autopush;
  command.inlet = noInlet;
  command.signal = static_cast<uint8_t>(signal);
  command.isSignalPair = false;
  std::copy(words, words + count, command.data.begin());
  push(command, count, ready);
}

void Chassis::raise(uint32_t engine, uint32_t context, uint32_t mask,
                    uint64_t cycle) {
  if (mask == 0)
    return;
  if (cycle <= events.now()) {
    ports[engine]->raiseSignals(events.now(), context, mask);
    return;
  }
  events.schedule(cycle, this, Signalled, packSignals(engine, context, mask));
}

void Chassis::setRingFlag(uint32_t ring, bool isOn) {
  uint32_t bit = 1u << ring;
  ringFlagBits = isOn ? ringFlagBits | bit : ringFlagBits & ~bit;
}

void Chassis::onEvent(uint64_t cycle, uint32_t code, uint64_t argument) {
  if (code == Signalled) {
    ports[argument >> 40]->raiseSignals(cycle, (argument >> 32) & 0xff,
                                        static_cast<uint32_t>(argument));
    return;
  }
  Command &command = commandOf(argument);
  switch (code) {
  case Arrived:
    command.arrivalNumber = ++arrivals;
    unitFor(command)->accept(command);
    return;
  case Pulled:
  case PulledWithoutSignal:
    copyOperands(command);
    command.wordsInTransit = 0;
    if (code == Pulled && command.signal != 0)
      ports[command.engine]->raiseSignals(cycle, command.context,
                                          signalMask(command));
    if (command.puller)
      command.puller->onPulled(command);
    return;
  case Pushed:
    return pushed(cycle, command);
  case BufferPushed:
    if (isPushOver(cycle, code, command))
      command.puller->onMoved(command);
    return;
  default:
    KARAKAL_UNREACHABLE("unknown chassis event");
  }
}

} // namespace karakal::sim
