// Runs an image over a trace.
//
// See Simulation.h for the idea.

#include "sim-ixp/run/Simulation.h"
#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "target-ixp/image/Manifest.h"
#include "target-ixp/table/Printer.h"

#include <algorithm>
#include <chrono>

namespace karakal::sim {
namespace {

/// The chip must be quiet for so long before a run is over, because the last
/// command of Rx may be in flight. Snapshots are taken so much later than
/// requested that all engines, which run ahead, can be brought to one cycle.
constexpr uint64_t settleCycles = 1000;
static_assert(settleCycles > Microengine::runAheadCycles, "see above");
/// Cycles between two checks for the end of the run. Their result depends on
/// the cycle alone.
constexpr uint64_t checkCycles = 64;
constexpr uint32_t checksPerProgress = 4096;

double hostSeconds() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

XScaleProgram programOf(const target::Image &image) {
  XScaleProgram program;
  if (!image.manifest.contains("xscale"))
    return program;
  const nlohmann::json &xscale = image.manifest["xscale"];
  program.handler = xscale["handler"];
  program.stackTop = xscale["stack"];
  program.arguments = xscale["arguments"];
  return program;
}

} // namespace

Simulation::Simulation(SimulationOptions options, const target::Image &image)
    : asked(std::move(options)), loaded(image),
      sourceText(asked.sourceFolders) {}

Result<std::unique_ptr<Simulation>>
Simulation::create(SimulationOptions options, const target::Image &image,
                   std::vector<traces::Packet> trace,
                   const std::vector<traces::ControlCall> &calls) {
  std::unique_ptr<Simulation> made(new Simulation(std::move(options), image));
  if (Status status = made->loadEngines(); !status)
    return status.error();
  made->connectMedia(std::move(trace));
  if (Status status = made->connectCore(calls); !status)
    return status.error();
  made->watch();
  return made;
}

/// Builds the chip and its observers, and loads the engines.
Status Simulation::loadEngines() {
  Result<EnginePlans> enginePlans = planEngines(loaded, asked.load);
  if (!enginePlans)
    return enginePlans.error();
  plans = *enginePlans;
  accounts = std::make_unique<PacketAccounting>(planAccounting(loaded, plans));
  machine = std::make_unique<Chip>(asked.parameters, *accounts);
  accounts->connect(&machine->scheduler());
  if (Status status = loadImage(loaded, plans, asked.load.breaks, *machine);
      !status)
    return status;
  if (Status status = setHashMultiplier(loaded, asked.load.hashKey, *machine);
      !status)
    return status;
  for (uint32_t i = 0; i < machine->engineCount(); ++i)
    machine->engine(i).seed(static_cast<uint32_t>(asked.seed) * 8 + i);
  if (asked.savePower && !loaded.manifest.contains("stop_word"))
    return makeError("E-sim-ixp-017",
                     "--policy=power: the image's engines cannot be stopped; "
                     "compile it with --policy=power");
  cacheMonitor = std::make_unique<CacheMonitor>(loaded, plans, *machine);
  if (cacheMonitor->isWatching())
    accounts->setProgramObserver(cacheMonitor.get());
  return success();
}

/// Connects the media interface to the chip and to the packets of `trace`.
void Simulation::connectMedia(std::vector<traces::Packet> trace) {
  KARAKAL_ASSERT(machine && !media, "the chip has one media interface");
  TrafficOptions traffic;
  traffic.portCount = static_cast<uint32_t>(machine->parameters().portsCount);
  traffic.packetCount = asked.packets;
  traffic.offeredGbps = asked.offeredGbps;
  traffic.fcsPorts = static_cast<uint32_t>(machine->parameters().portsFcs);
  traffic.keepsTimes = asked.keepsTimes;
  source = std::make_unique<TrafficSource>(std::move(trace), traffic);
  media = std::make_unique<Msf>(machine->chassis(), *accounts, *source);
  AccountingPlan plan = planAccounting(loaded, plans);
  media->setBuffers(target::bufferAddress(plan.firstHandle),
                    target::bufferAddress(plan.handleStep), plan.bufferCount);
  media->onSent([this](const SentFrame &frame) { recordSent(frame); });
  countWaiting();
  accounts->onFreed([this](uint32_t handle) { media->forgetBuffer(handle); });
  newestOnPort.resize(traffic.portCount);
  machine->connectMedia(media.get());
}

/// Lets the accounting read the word in which the program counts the packets of
/// its queues, if it has any.
void Simulation::countWaiting() {
  for (const nlohmann::json &global : loaded.manifest["globals"]) {
    if (global["name"] != target::WaitingCountName)
      continue;
    target::Memory in = memoryIn(global);
    KARAKAL_ASSERT(in != target::Memory::Dram, "engines write the word");
    Memory &memory = in == target::Memory::Scratch
                         ? machine->scratch().memory()
                         : machine->sram(*target::sramChannelOf(in)).memory();
    uint32_t address = global["address"];
    accounts->countWaiting([&memory, address] { // both live as long as the run
      return memory.readWord(address);
    });
  }
}

/// Connects the XScale core and schedules the control calls.
Status Simulation::connectCore(const std::vector<traces::ControlCall> &calls) {
  KARAKAL_ASSERT(media && !xscale, "the core needs the media interface");
  Chip &chip = *machine;
  auto core = XScale::create(chip.coreConnections(), programOf(loaded));
  if (!core)
    return core.error();
  xscale = std::move(*core);
  chip.scratch().onNotEmpty(
      [this](uint32_t ring) { xscale->onRingNotEmpty(ring); });
  chip.cap().onInterrupt([this](uint32_t, uint32_t) { xscale->onInterrupt(); });

  Result<ControlCallRunner> runner =
      ControlCallRunner::create(loaded, calls, asked.keepGoing);
  if (!runner)
    return runner.error();
  controls = std::move(*runner);
  if (!asked.savePower)
    controls.leaveOut(target::SavePowerTimerName);
  hold = std::make_unique<FrameHold>(*media, *accounts);
  controls.connect(xscale.get(), &chip.scheduler(), hold.get(),
                   chip.parameters().meClockHz);
  return success();
}

/// Turns on the observations that the options ask for.
void Simulation::watch() {
  if (asked.strict)
    accounts->makeStrict();
  if (asked.profile)
    for (uint32_t i = 0; i < machine->engineCount(); ++i)
      if (plans[i].role != EngineRole::Idle)
        machine->engine(i).startProfile();
  if (asked.timelineWindow)
    recorded.setWindow(asked.timelineWindow->first,
                       asked.timelineWindow->second);
  if (asked.recordTimeline || asked.sample)
    observeContexts();
  if (asked.tracedPacket)
    followPacket(*asked.tracedPacket);
}

uint64_t Simulation::packetNumber(uint32_t handle) {
  return media->numberOfBuffer(target::bufferAddress(handle));
}

/// Logs what happens to a packet.
void Simulation::followPacket(uint64_t number) {
  AccountingPlan plan = planAccounting(loaded, plans);
  PacketLog::Program program;
  program.firstHandle = plan.firstHandle;
  program.handleStep = plan.handleStep;
  program.dropCounters = loaded.manifest["drop_counters"];
  for (const nlohmann::json &reason : loaded.manifest["drop_reasons"])
    program.dropReasons.push_back(reason);
  program.rings.resize(Scratch::ringCount);
  for (const nlohmann::json &ring : loaded.manifest["rings"])
    program.rings[ring["number"].get<uint32_t>()] = ring["name"];
  PacketLog::Sources sources;
  sources.numberOf = [this](uint32_t handle) { return packetNumber(handle); };
  sources.locationOf = [this](uint32_t engine, uint32_t pc) {
    return machine->engine(engine).loaded()->locationOf(pc);
  };
  sources.textOf = [this](uint32_t engine, uint32_t pc) {
    return target::print(machine->engine(engine).loaded()->instructions[pc]);
  };
  sources.lineOf = [this](const std::string &location) {
    return sourceText.textOf(location);
  };
  sources.now = [this] { return machine->scheduler().now(); };
  followed = std::make_unique<PacketLog>(number, std::move(program),
                                         std::move(sources));
  accounts->follow(followed.get());
  if (!asked.load.breaks.empty())
    accounts->breakAt([this, number](uint32_t handle) {
      return handle != 0 && packetNumber(handle) == number;
    });
  for (uint32_t i = 0; i < machine->engineCount(); ++i)
    if (plans[i].role != EngineRole::Idle) {
      machine->engine(i).startProfile();
      machine->engine(i).ownProfile().onBlock =
          [this, i](uint32_t context, uint64_t cycle, size_t begin,
                    size_t end) {
            followed->onBlock(i, context, cycle, begin, end);
          };
    }
}

/// Records contexts, units and packets in the timeline, the samples or both.
void Simulation::observeContexts() {
  if (asked.sample)
    sampled = std::make_unique<RunSamples>();
  SegmentObserver *segments = sampled.get();
  CommandObserver *commands = sampled.get();
  if (!sampled)
    segments = &recorded, commands = &recorded;
  for (uint32_t i = 0; i < machine->engineCount(); ++i)
    machine->engine(i).observeSegments(segments);
  machine->chassis().observe(commands);
  accounts->onPacket([this](PacketStep step, uint32_t handle, uint32_t what) {
    observePacket(step, handle, what);
  });
}

void Simulation::observePacket(PacketStep step, uint32_t handle,
                               uint32_t ringOrActor) {
  uint64_t number = packetNumber(handle);
  if (number == SentFrame::unknownNumber)
    return;
  uint64_t now = machine->scheduler().now();
  if (asked.recordTimeline)
    recorded.addPacket(now, number, step, ringOrActor);
  if (!sampled)
    return;
  sampled->addPacket(now, number, step);
  if (step == PacketStep::Refused)
    sampled->setFate(number, PacketFate::Dropped);
  else if (step == PacketStep::Freed && ringOrActor == xscaleActor)
    sampled->setFate(number, PacketFate::Consumed);
  else if (step == PacketStep::Freed &&
           plans[ringOrActor].role == EngineRole::App)
    sampled->setFate(number, PacketFate::Dropped);
}

/// Ends a window of the samples.
void Simulation::addSample(uint64_t cycle) {
  RunSamples::Totals totals;
  totals.cycle = cycle;
  totals.busyCycles = unitBusyCycles();
  for (uint32_t ring = 0; ring < Scratch::ringCount; ++ring)
    totals.ringWords.push_back(machine->scratch().ringLevel(ring));
  const PacketCounters &packets = accounts->counters();
  totals.received = packets.received;
  totals.forwarded = packets.forwarded;
  totals.dropped = packets.dropped;
  totals.consumed = packets.consumed;
  sampled->addTotals(std::move(totals));
}

/// What a context that gave up its engine at `pc` waits for.
std::string Simulation::waitName(uint32_t engine, uint32_t pc) {
  const target::Instruction &instruction =
      machine->engine(engine).loaded()->instructions[pc];
  const target::InstructionRow &row = target::row(instruction.op);
  if (row.isCommand())
    return std::string(row.mnemonic) + "[" + row.variant + "]";
  if (instruction.signalMask & 1)
    return "voluntary";
  std::string name = instruction.any ? "any of signals" : "signals";
  for (uint32_t n = 1; n < 16; ++n)
    if (instruction.signalMask >> n & 1)
      name += " " + std::to_string(n);
  return name;
}

void Simulation::recordSent(const SentFrame &frame) {
  if (asked.recordTimeline && frame.number != SentFrame::unknownNumber)
    recorded.addPacket(machine->scheduler().now(), frame.number,
                       PacketStep::Sent, frame.port);
  if (sampled && frame.number != SentFrame::unknownNumber)
    sampled->setSent(machine->scheduler().now(), frame.number, frame.port,
                     frame.latencyCycles);
  if (followed)
    followed->onSent(frame.number, frame.port, frame.bytes);
  if (frame.number != SentFrame::unknownNumber) {
    uint64_t &newest = newestOnPort[frame.port % newestOnPort.size()];
    if (frame.number < newest)
      ++reordered;
    newest = std::max(newest, frame.number);
    if (isMeasuring)
      latencyCycles.add(frame.latencyCycles);
  }
  if (asked.keepFrames)
    frames.push_back(frame);
}

std::vector<uint64_t> Simulation::unitBusyCycles() {
  names.clear();
  std::vector<uint64_t> busy;
  auto add = [&](const char *name, const auto &resource) {
    names.push_back(name);
    busy.push_back(resource.busyCycles());
  };
  add("scratch", machine->scratch().server());
  add("hash", machine->hash().server());
  add("cap", machine->cap().server());
  add("dram", machine->dram().bus());
  add("msf.receive", media->receiveBus());
  add("msf.transmit", media->transmitBus());
  for (uint32_t i = 0; i < machine->sramChannelCount(); ++i) {
    add("sram.read", machine->sram(i).reader());
    add("sram.write", machine->sram(i).writer());
  }
  for (uint32_t i = 0; i < machine->dram().bankCount(); ++i)
    add("dram.bank", machine->dram().bank(i));
  const Chassis &chassis = machine->chassis();
  for (uint32_t cluster = 0; cluster < 2; ++cluster)
    add("bus.command", chassis.commandBus(cluster));
  for (uint32_t bus = 0; bus < Chassis::busCount; ++bus)
    add("bus.pull", chassis.pullBus(bus));
  for (uint32_t bus = 0; bus < Chassis::busCount; ++bus)
    add("bus.push", chassis.pushBus(bus));
  return busy;
}

Snapshot Simulation::takeSnapshot(uint64_t cycle) {
  Snapshot snapshot;
  snapshot.cycle = machine->align(cycle);
  snapshot.packets = accounts->counters();
  for (uint32_t i = 0; i < machine->engineCount(); ++i)
    snapshot.engines[i] = machine->engine(i).countersAt(snapshot.cycle);
  snapshot.busyCycles = unitBusyCycles();
  snapshot.arrivedFrames = media->receiveStatistics().framesArrived;
  snapshot.arrivedBits = media->receiveStatistics().frameBits;
  snapshot.hostSeconds = hostSeconds();
  return snapshot;
}

bool Simulation::isQuiet() {
  // The core may be about to send packets made from one that it has freed.
  return accounts->movingCount() == 0 && media->isReceiveDone() &&
         media->isTransmitDone() && !controls.isBusy() && !xscale->isBusy();
}

bool Simulation::isStuck() {
  uint64_t now = machine->scheduler().now();
  uint64_t since =
      std::max({accounts->lastProgressCycle(), begin, controls.progressAt()});
  // A control function may take its time, and go before packets that wait for
  // the core; a message may not, since it can wait for a ring that nobody
  // empties.
  if (xscale->isCalled() || controls.isHolding() ||
      now < since + asked.stallCycles)
    return false;
  // At a low offered load the next packet may arrive much later.
  return accounts->movingCount() > 0 || source->isClosedLoop() ||
         media->isReceiveDone();
}

Error Simulation::stuckError(const std::string &why) const {
  return makeError(
      "E-sim-ixp-031",
      why + " at cycle " + std::to_string(machine->scheduler().now()) +
          " with " + std::to_string(accounts->outstandingCount()) +
          " packets inside (" + std::to_string(accounts->counters().received) +
          " received, " + std::to_string(accounts->counters().forwarded) +
          " forwarded); the contexts:\n" + machine->describeContexts() +
          xscale->describe());
}

bool Simulation::check() {
  uint64_t now = machine->scheduler().now();
  if (sampled && sampled->isDue(now))
    addSample(now);
  const PacketCounters &packets = accounts->counters();
  if (accounts->breakState())
    return false;
  if (accounts->fault()) {
    failure = makeError("E-sim-ixp-030", "the program fails at cycle " +
                                             std::to_string(now) + ": " +
                                             *accounts->fault());
    return false;
  }
  if (controls.error()) {
    failure = *controls.error();
    return false;
  }
  if (const Error *error = xscale->fault()) {
    failure = *error;
    return false;
  }
  if (asked.maxCycles != 0 && now - begin > asked.maxCycles) {
    failure = makeError("E-sim-ixp-032", "the run has not ended after " +
                                             std::to_string(asked.maxCycles) +
                                             " cycles (--max-cycles)");
    return false;
  }
  if (!isMeasuring &&
      packets.forwarded + packets.dropped + packets.consumed >= asked.warmup) {
    isMeasuring = true;
    first = takeSnapshot(now + settleCycles);
  }
  if (isQuiet()) {
    end = machine->align(now + settleCycles);
    return !isQuiet() || accounts->fault();
  }
  if (isStuck()) {
    failure = stuckError("no packet has moved for " +
                         std::to_string(asked.stallCycles) + " cycles");
    return false;
  }
  return true;
}

/// Runs to `cycle`; arriving packets start their control calls.
void Simulation::runTo(uint64_t cycle) {
  while (controls.nextPacket() != ControlCallRunner::noPacket &&
         machine->stepBefore(cycle))
    if (media->arrivedCount() >= controls.nextPacket())
      controls.onArrived(media->arrivedCount());
  machine->runTo(cycle);
}

Status Simulation::run() {
  if (Status status = controls.runBeforeStart(); !status)
    return status;
  begin = machine->scheduler().now();
  if (sampled)
    sampled->start(begin, asked.recordTimeline ? &recorded : nullptr);
  startEngines(plans, *machine);
  media->start();
  controls.start();
  if (asked.warmup == 0) {
    isMeasuring = true;
    first = takeSnapshot(begin);
  }
  bool goesOn = true;
  for (uint32_t checks = 0; goesOn; ++checks) {
    runTo(machine->scheduler().now() + checkCycles);
    goesOn = check();
    if (goesOn && !machine->isPending()) {
      goesOn = false;
      failure = stuckError("every context is asleep and nothing is pending");
    }
    if (asked.onProgress && checks % checksPerProgress == 0)
      asked.onProgress(media->arrivedCount(), source->packetCount());
  }
  if (failure)
    return *failure;
  // At a breakpoint the run stops where it is and measures nothing.
  if (accounts->breakState())
    return success();
  if (Status status = callAtEnd(); !status)
    return status;
  finish();
  return checkBounds();
}

/// Makes the calls of the end and lets go what they have put. Calls that
/// exchange the engines' code wait for engines, so they need chip time.
Status Simulation::callAtEnd() {
  if (target::exchangesCode(loaded.manifest))
    controls.startAtEnd();
  else if (Status status = controls.runAtEnd(); !status)
    return status;
  while (!isQuiet()) {
    runTo(machine->scheduler().now() + checkCycles);
    if (!check() && !isQuiet()) // an error or a breakpoint
      return failure ? Status(*failure) : success();
  }
  return success();
}

/// Checks that no message took more cycles than the bound of `bakerc --wcet`.
Status Simulation::checkBounds() {
  for (const nlohmann::json &aggregate : loaded.manifest["aggregates"])
    for (uint32_t i = 0; i < machine->engineCount(); ++i) {
      if (plans[i].role != EngineRole::App ||
          plans[i].aggregate != aggregate["name"] ||
          !aggregate.contains("iteration_cycles_bound"))
        continue;
      uint64_t bound = aggregate["iteration_cycles_bound"];
      uint64_t seen = last.engines[i].iterationCyclesMax;
      if (seen > bound)
        return makeError(
            "E-sim-ixp-033",
            "a message took " + std::to_string(seen) + " cycles on engine " +
                std::to_string(i) + ", but the bound of aggregate '" +
                plans[i].aggregate + "' is " + std::to_string(bound) +
                ": is a '@bound' in the program wrong?");
    }
  return success();
}

void Simulation::finish() {
  // A run that ends during its warm-up measures nothing.
  if (!isMeasuring)
    first = takeSnapshot(end);
  last = takeSnapshot(end);
  for (uint32_t i = 0; i < machine->engineCount(); ++i)
    KARAKAL_ASSERT(plans[i].role == EngineRole::Idle ||
                       last.engines[i].total() - first.engines[i].total() ==
                           last.cycle - first.cycle,
                   "an engine's cycles do not add up");
}

uint32_t Simulation::dropCounter(uint32_t reason) {
  uint32_t base = loaded.manifest["drop_counters"];
  return scratchWord(base + 4 * reason);
}

} // namespace karakal::sim
