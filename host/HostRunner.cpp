// Runs a program on x86 over a trace.

#include "host/HostRunner.h"
#include "host/CodeParts.h"
#include "host/FastPackets.h"
#include "host/Primitives.h"
#include "host/ProgramTimers.h"
#include "host/RunGuards.h"
#include "host/standalone/ControlCalls.h"
#include "host/standalone/PacketFaults.h"
#include "host/standalone/ThreadTime.h"
#include "host/standalone/TraceClock.h"
#include "support/Assert.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <memory>
#include <optional>

namespace karakal::host {

namespace {

std::vector<traces::ControlSignature> signaturesOf(const HostProgram &program) {
  std::vector<traces::ControlSignature> signatures;
  for (const HostControl &control : program.controls)
    signatures.push_back(control.signature);
  return signatures;
}

/// A run: the compiled program, its packets and its control calls.
class Runner {
public:
  Runner(HostProgram &program, const RunOptions &options)
      : program(program), options(options),
        fast(options.fast ? new FastPackets(options.portCount,
                                            program.dropReasons.size())
                          : nullptr),
        timers(timersOf(program)),
        compiled(fast                ? compileForSpeed()
                 : program.lowerPart ? beginParts()
                                     : compile(program, primitiveSymbols())),
        runtime(options.layout, options.portCount, program.dropReasons.size()),
        context{runtime, {}, {}},
        calls(signaturesOf(program), program.refusals, options.keepGoing) {
    KARAKAL_ASSERT(options.burst >= 1 && options.burst <= FastPackets::BurstMax,
                   "a burst has buffers");
    KARAKAL_ASSERT(options.subBatch >= 1 && options.subBatch <= options.burst,
                   "a sub-batch is a part of its burst");
    runtime.services().engineHz = options.engineHz;
    runtime.services().hashMultiplier = program.hashMultiplier;
    if (fast) {
      compiled.fuel = &noFuel;
      compiled.ppf = &noPpf;
      fast->setKeepFrames(options.keepFrames);
      runtime.services().clock = [this] { return fast->nowNs(); };
      fast->setDrain([this] {
        while (uint32_t message = nextMessage())
          deliver(message);
      });
    }
    entries = &compiled.packets;
    batching = {options.burst, options.subBatch};
    if (isSpecialized())
      specialization.emplace(
          program, compiled, std::move(packetCode),
          std::vector<std::vector<SymbolAddress>>{fast->symbols()},
          options.specialize);
    context.ppf = compiled.ppf;
    context.locality.resize(program.cacheSiteCount);
    updates.resize(program.counterCount);
    for (const HostPpf &ppf : program.ppfs)
      context.ppfOnXScale.push_back(ppf.onXScale);
    uint32_t idEnd = 0;
    for (const HostChannel &channel : program.channels)
      idEnd = std::max(idEnd, channel.id + 1);
    consumerIndex.resize(idEnd);
    context.channelToXScale.resize(idEnd);
    context.ppfCode = [this](uint32_t ppf) { return ppfCode(ppf); };
    for (const HostChannel &channel : program.channels)
      for (size_t i = 0; i < program.ppfs.size(); ++i)
        if (program.ppfs[i].symbol == channel.consumer) {
          consumerIndex[channel.id] = i;
          context.channelToXScale[channel.id] = program.ppfs[i].onXScale;
        }
  }

  Result<HostRun> run(const std::vector<traces::Packet> &trace,
                      const std::vector<traces::ControlCall> &control);

private:
  Status init();
  Result<uint32_t> call(size_t control, const std::vector<uint64_t> &arguments);
  Status betweenPackets(bool isCounted, llvm::function_ref<Status()> makeCalls);
  Status callsDue(uint64_t due);
  Status timersDue(uint64_t nowNs);
  Status callTimer(const traces::Timers::Due &due);
  Status process(const traces::Packet &frame, uint64_t index);
  Status processBurst(const FrameStore &store, uint64_t index, uint32_t count);
  void beginBurst();
  void endBurst();
  Status packetsOf(const std::vector<traces::Packet> &trace);
  Status fastPacketsOf(const std::vector<traces::Packet> &trace);
  JitProgram compileForSpeed();
  JitProgram beginParts();
  PpfFunction ppfCode(uint32_t ppf);
  Status observe(const FrameStore &store);
  Status sweep(const FrameStore &store);
  Status runFrom(const FrameStore &store, uint64_t &index, uint64_t count);
  bool isSpecialized() const {
    return fast && options.specialize.when != SpecializeWhen::Never;
  }
  x86::Specializable *specializable() {
    return isSpecialized() ? &packetCode : nullptr;
  }
  uint32_t nextMessage() {
    return fast ? fast->nextMessage() : runtime.nextMessage();
  }
  void deliver(uint32_t message);
  bool drain();
  const std::string &fault() const {
    return fast ? fast->fault() : runtime.fault();
  }
  Error packetError(uint64_t index);
  HostRun collect();

  HostProgram &program;
  const RunOptions &options;
  /// The burst and the sub-batch that run.
  x86::Batching batching;
  std::vector<double> sweepNs;
  /// The packets of a fast run; null in others.
  std::unique_ptr<FastPackets> fast;
  /// What specialized code is made of.
  x86::Specializable packetCode;
  traces::Timers timers;
  /// The code of a program that is lowered in parts.
  std::unique_ptr<CodeParts> parts;
  JitProgram compiled;
  std::optional<Specialization> specialization;
  /// Whether calls were made since code was asked for.
  bool hasChanged = true;
  /// The code of the packets that run.
  const PacketEntries *entries = nullptr;
  PacketRuntime runtime;
  RunContext context;
  /// Stand in for the guards that a fast run does not have.
  int64_t noFuel = 0;
  uint32_t noPpf = NoPpf;
  std::vector<uint32_t> consumerIndex;
  ControlCalls calls;
  /// Makes them.
  ControlCalls::Function control = [this](size_t index, const auto &arguments) {
    return call(index, arguments);
  };
  uint64_t startNs = 0; ///< of the timers' clock
  /// The counters of control calls after the first packet.
  std::vector<uint64_t> updates;
};

} // namespace

JitProgram Runner::compileForSpeed() {
  if (!options.observation)
    return compileFast(program, fast->symbols(), specializable());
  std::vector<SymbolAddress> symbols = fast->symbols();
  for (const auto &symbol : observerSymbols())
    symbols.push_back(symbol);
  return compileObserved(program, symbols, options.observation->objects);
}

/// Begins a program whose parts are compiled when they are first used.
JitProgram Runner::beginParts() {
  parts = std::make_unique<CodeParts>(program, primitiveSymbols());
  return parts->begin();
}

/// Returns the code of a PPF, or null after a fault.
PpfFunction Runner::ppfCode(uint32_t ppf) {
  auto code = parts->ppf(ppf);
  if (!code)
    runtime.setFault(code.error().message);
  return code ? *code : nullptr;
}

Status Runner::init() {
  for (size_t i = 0; i < compiled.inits.size(); ++i) {
    *compiled.fuel = options.fuelPerCall;
    InitFunction function = compiled.inits[i];
    if (!callGuarded(context, [&] { function(); }))
      return makeError("E-host-001", program.inits[i] + ": " + fault());
  }
  return success();
}

/// Calls control functions between packets. The counts go to `updates`, or are
/// discarded.
Status Runner::betweenPackets(bool isCounted,
                              llvm::function_ref<Status()> makeCalls) {
  std::unique_lock<std::mutex> changing;
  if (specialization)
    changing = specialization->change();
  hasChanged = true;
  uint64_t *counters = compiled.profile;
  std::vector<uint64_t> before(counters, counters + updates.size());
  context.isPacket = false;
  if (Status status = makeCalls(); !status)
    return status;
  context.isPacket = true;
  for (size_t i = 0; i < updates.size(); ++i) {
    updates[i] += isCounted ? counters[i] - before[i] : 0;
    counters[i] = before[i];
  }
  return success();
}

/// Makes each call that is due by `due` once.
Status Runner::callsDue(uint64_t due) {
  if (calls.nextDue() > due)
    return success();
  return betweenPackets(due > ControlCalls::beforePacket(0),
                        [&] { return calls.makeDue(due, control); });
}

/// Calls a function of control and delivers what it puts.
Result<uint32_t> Runner::call(size_t control,
                              const std::vector<uint64_t> &arguments) {
  *compiled.fuel = options.fuelPerCall;
  uint32_t returned = 0;
  if (parts)
    if (Status status = parts->addControl(control, compiled); !status)
      return status.error();
  ControlFunction entry = compiled.controls[control];
  if (!callGuarded(context, [&] { returned = entry(arguments.data()); }) ||
      !drain())
    return makeError("E-host-001", fault());
  return returned;
}

/// Calls a timer's function at its own time.
Status Runner::callTimer(const traces::Timers::Due &due) {
  uint64_t timeNs = startNs + due.atNs;
  runtime.services().nowNs = timeNs;
  if (fast)
    fast->setTimerTime(timeNs);
  if (auto called = call(due.function, {}); !called)
    return makeError("E-host-001",
                     program.controls[due.function].signature.name + ": " +
                         called.error().message);
  if (fast) {
    fast->transmit();
    fast->setTimerTime(std::nullopt);
  }
  return success();
}

/// Calls the timers that are due by `nowNs` after the start.
Status Runner::timersDue(uint64_t nowNs) {
  if (timers.nextNs() > nowNs)
    return success();
  return betweenPackets(true, [&]() -> Status {
    while (auto due = timers.take(nowNs))
      if (Status status = callTimer(*due); !status)
        return status;
    return success();
  });
}

/// Calls the consumer of a message; a fault leaves it.
void Runner::deliver(uint32_t message) {
  uint32_t id = message >> 24, handle = message & 0xffffff;
  KARAKAL_ASSERT(id != 0 && id < consumerIndex.size(),
                 "a message of a declared channel");
  // The put has counted the crossing to the XScale core already.
  *compiled.ppf = consumerIndex[id];
  if (fast)
    fast->setOnXScale(program.ppfs[consumerIndex[id]].onXScale);
  PpfFunction code =
      parts ? ppfCode(consumerIndex[id]) : entries->consumers[id];
  if (!code)
    leaveProgram();
  code(handle);
  if (fast)
    fast->setOnXScale(false);
}

/// Calls the consumers of queued messages until none is left; false at a fault.
bool Runner::drain() {
  while (uint32_t message = nextMessage())
    if (!callGuarded(context, [&] { deliver(message); }))
      return false;
  return true;
}

Error Runner::packetError(uint64_t index) {
  std::string where = *compiled.ppf < program.ppfs.size()
                          ? " in " + program.ppfs[*compiled.ppf].symbol
                          : "";
  return makeError("E-host-004",
                   "packet " + std::to_string(index) + where + ": " + fault());
}

Status Runner::process(const traces::Packet &frame, uint64_t index) {
  *compiled.fuel = options.fuelPerPacket;
  *compiled.ppf = NoPpf;
  uint32_t handle = runtime.receive(frame);
  if (!runtime.fault().empty())
    return packetError(index);
  if (handle == 0)
    return success();
  PpfFunction entry = compiled.packets.rx;
  if (!callGuarded(context, [&] { entry(handle); }) || !drain())
    return packetError(index);
  if (!options.keepFrames)
    runtime.transmitted().clear();
  return success();
}

Status Runner::packetsOf(const std::vector<traces::Packet> &trace) {
  uint64_t count = options.packets ? options.packets : trace.size();
  TraceClock clock(trace);
  for (uint64_t i = 0; i < count; ++i) {
    if (Status status = timersDue(clock.at(i)); !status)
      return status;
    if (Status status = callsDue(ControlCalls::beforePacket(i)); !status)
      return status;
    if (Status status = process(trace[i % trace.size()], i); !status)
      return status;
  }
  return success();
}

/// Chooses the code of a burst.
void Runner::beginBurst() {
  if (!specialization)
    return;
  if (std::exchange(hasChanged, false) || specialization->wantsToSettle())
    specialization->settle();
  if (const PacketEntries *special = specialization->begin(0))
    entries = special;
}

void Runner::endBurst() {
  if (specialization)
    specialization->end(0);
  // A control call may send packets to PPFs, in the state that it made.
  entries = &compiled.packets;
}

/// Runs `count` packets from `index`, whose frames follow each other in
/// `store`.
Status Runner::processBurst(const FrameStore &store, uint64_t index,
                            uint32_t count) {
  uint32_t handles[FastPackets::BurstMax];
  const FrameStore::Frame *frames = &store[index % store.size()];
  for (uint32_t i = 0; i < count; ++i)
    handles[i] = fast->receive(store, frames[i]);
  if (!fault().empty())
    return packetError(index);
  beginBurst();
  fast->beginBurst(frames);
  uint32_t step = batching.subBatch;
  x86::WorkCounts *observed =
      options.observation ? &options.observation->counts : nullptr;
  auto inStages = [&] {
    for (uint32_t i = 0; i < count; i += step)
      compiled.runBatch(handles + i, i, std::min(step, count - i));
  };
  PpfFunction entry = entries->rx;
  auto oneByOne = [&] {
    for (uint32_t i = 0; i < count; ++i) {
      fast->setCurrent(i);
      if (handles[i] != 0)
        entry(handles[i]);
      while (uint32_t message = nextMessage())
        deliver(message);
      if (observed)
        observed->endPackets(1);
    }
  };
  bool isDone = compiled.runBatch && step > 1 ? callGuarded(context, inStages)
                                              : callGuarded(context, oneByOne);
  endBurst();
  if (!isDone)
    return packetError(index + fast->current());
  fast->setCurrent(count - 1); // whose time control calls see
  fast->transmit();
  return success();
}

/// Runs `count` packets from `index` on, which repeats the trace.
Status Runner::runFrom(const FrameStore &store, uint64_t &index,
                       uint64_t count) {
  for (uint64_t end = index + count; index < end;) {
    uint64_t burst = std::min<uint64_t>(
        {batching.burst, end - index, store.size() - index % store.size()});
    if (Status status = processBurst(store, index, uint32_t(burst)); !status)
      return status;
    index += burst;
  }
  return success();
}

/// Bursts run packet by packet and in stages in turn: a part of the trace to
/// fill the memory of lines and branches, then one that counts.
Status Runner::observe(const FrameStore &store) {
  WorkObservation &observation = *options.observation;
  x86::WorkCounts &counts = observation.counts;
  ActiveWorkCounts active(counts);
  constexpr uint32_t burst = WorkObservation::Burst;
  uint64_t part =
      std::clamp<uint64_t>(store.size(), 2 * burst * WorkObservation::BurstsMin,
                           WorkObservation::PacketsMax);
  uint64_t index = 0;
  for (bool isCounted : {false, true})
    for (uint64_t end = index + part; index < end;) {
      bool isStaged = index / burst % 2 != 0 && compiled.runBatch;
      if (isCounted)
        counts.begin(isStaged ? x86::Schedule::Staged
                              : x86::Schedule::OneByOne);
      else
        counts.warmUp();
      batching = {burst, isStaged ? burst : 1};
      uint64_t before = index;
      if (Status status = runFrom(store, index, burst); !status)
        return status;
      if (isStaged)
        counts.endPackets(uint32_t(index - before));
    }
  counts.pause();
  observation.hasStages = compiled.runBatch != nullptr;
  return success();
}

Status Runner::sweep(const FrameStore &store) {
  constexpr uint32_t rounds = 7;
  constexpr uint64_t defaultPackets = 50'000;
  uint64_t count = options.packets ? options.packets : defaultPackets;
  std::vector<std::vector<double>> found(options.sweep.size());
  uint64_t index = 0;
  for (uint32_t round = 0; round < rounds; ++round)
    for (size_t i = 0; i < options.sweep.size(); ++i) {
      batching = options.sweep[i];
      double start = threadSeconds();
      if (Status status = runFrom(store, index, count); !status)
        return status;
      found[i].push_back((threadSeconds() - start) * 1e9 / double(count));
    }
  for (std::vector<double> &times : found) {
    std::sort(times.begin(), times.end());
    sweepNs.push_back(times[times.size() / 2]);
  }
  return success();
}

Status Runner::fastPacketsOf(const std::vector<traces::Packet> &trace) {
  FrameStore store(trace);
  if (options.observation)
    return observe(store);
  if (!options.sweep.empty())
    return sweep(store);
  TraceClock clock(trace);
  uint64_t end = options.packets ? options.packets : trace.size();
  for (uint64_t i = 0; i < end;) {
    if (Status status = timersDue(clock.at(i)); !status)
      return status;
    if (Status status = callsDue(ControlCalls::beforePacket(i)); !status)
      return status;
    uint64_t count = std::min<uint64_t>(batching.burst, end - i);
    count = std::min<uint64_t>(count, trace.size() - i % trace.size());
    if (calls.nextDue() != ControlCalls::Never)
      count = std::min<uint64_t>(count, calls.nextDue() - 1 - i);
    if (!timers.empty())
      count = clock.countBefore(timers.nextNs(), i, count);
    if (Status status = processBurst(store, i, uint32_t(count)); !status)
      return status;
    i += count;
  }
  return success();
}

HostRun Runner::collect() {
  HostRun result;
  result.transmitted =
      std::move(fast ? fast->transmitted() : runtime.transmitted());
  result.packets = fast ? fast->counts() : runtime.counts();
  result.packets.countWaiting();
  const std::vector<uint64_t> &drops = fast ? fast->drops() : runtime.drops();
  for (size_t i = 0; i < program.dropReasons.size(); ++i)
    result.drops.emplace_back(program.dropReasons[i], drops[i]);
  for (size_t i = 0; !fast && i < program.ppfs.size(); ++i)
    result.packetsByPpf.emplace_back(program.ppfs[i].symbol,
                                     compiled.packetsByPpf[i]);
  result.profile.assign(compiled.profile,
                        compiled.profile + program.counterCount);
  result.updates = std::move(updates);
  result.locality = std::move(context.locality);
  result.compileSeconds = parts ? parts->seconds() : compiled.compileSeconds;
  result.sweepNs = std::move(sweepNs);
  if (specialization) {
    specialization->finish();
    result.specialization = specialization->report();
    if (options.specialize.explains)
      result.explanations = x86::explain(*specialization->explain());
  }
  result.controlCalls = calls.madeCount();
  result.controlNotReached = calls.notReachedCount();
  result.controlValues = calls.values();
  result.refusedCalls = calls.refused();
  result.timers = timers.counts();
  return result;
}

Result<HostRun> Runner::run(const std::vector<traces::Packet> &trace,
                            const std::vector<traces::ControlCall> &written) {
  ActiveContext active(context);
  std::optional<ActiveFastPackets> activePackets;
  if (fast)
    activePackets.emplace(*fast);
  if (Status status = calls.bind(written); !status)
    return status.error();
  startNs = trace.front().timeNs;
  if (parts)
    if (Status status = parts->addFirst(calls.functions(), compiled); !status)
      return status.error();
  if (Status status = init(); !status)
    return status.error();
  std::fill_n(compiled.profile, updates.size(), 0);
  if (Status status = callsDue(ControlCalls::AtStart); !status)
    return status.error();
  context.isPacket = true;
  double start = threadSeconds();
  Status done = fast ? fastPacketsOf(trace) : packetsOf(trace);
  if (!done)
    return done.error();
  double seconds = threadSeconds() - start;
  // They are not counted.
  Status atEnd =
      betweenPackets(false, [&] { return calls.makeAtEnd(control); });
  if (!atEnd)
    return atEnd.error();
  uint32_t inUse = fast ? fast->buffersInUse() : runtime.buffersInUse();
  uint32_t waiting = fast ? fast->waiting() : runtime.waiting();
  if (inUse != waiting)
    return makeError("E-host-005", faults::keepsPackets(inUse - waiting));
  HostRun result = collect();
  KARAKAL_ASSERT(result.packets.waiting <= waiting,
                 "every received packet ended in one way or waits in a queue");
  result.runSeconds = seconds - result.specialization.waitedSeconds;
  return result;
}

Result<HostRun> run(HostProgram program,
                    const std::vector<traces::Packet> &trace,
                    const std::vector<traces::ControlCall> &control,
                    const RunOptions &options) {
  return Runner(program, options).run(trace, control);
}

} // namespace karakal::host
