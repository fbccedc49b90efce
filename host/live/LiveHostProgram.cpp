// A program that is compiled for this computer and runs until it is told to
// stop.

#include "host/live/LiveHostProgram.h"
#include "host/FastPackets.h"
#include "host/Primitives.h"
#include "host/ProgramTimers.h"
#include "host/RunGuards.h"
#include "host/live/SharedCode.h"
#include <algorithm>

namespace karakal::host {

namespace {

/// Does nothing with the frames of init functions, which send none.
struct NoSink : x86::FrameSink {
  void send(const x86::Frame &) override {}
  void flush() override {}
};

/// What a thread has while it is attached to a core.
struct Attachment : x86::LiveAttachment {
  Attachment(RunContext &context, FastPackets &packets, ColdPpfs &cold)
      : context(context), packets(packets) {
    useForThread(&cold);
  }
  ~Attachment() override { useForThread(nullptr); }
  ActiveContext context;
  ActiveFastPackets packets;
};

class HostCore : public x86::LiveCore {
public:
  HostCore(const HostProgram &program, uint32_t index, uint64_t engineHz,
           uint32_t subBatch, ColdPpfs &cold)
      : index(index), subBatch(subBatch),
        packets(target::PortCount, program.dropReasons.size()),
        runtime({/*count=*/1}, target::PortCount, program.dropReasons.size()),
        context{runtime, {}, {}}, cold(cold),
        reasonCount(program.dropReasons.size()) {
    runtime.services().engineHz = engineHz;
    runtime.services().hashMultiplier = program.hashMultiplier;
    packets.setKeepFrames(false);
    context.ppf = &noPpf;
    for (const HostPpf &ppf : program.ppfs)
      context.ppfOnXScale.push_back(ppf.onXScale);
    for (const HostChannel &channel : program.channels)
      addChannel(program, channel);
    packets.setDrain([this] { deliverAll(); });
  }

  std::vector<SymbolAddress> symbols() { return packets.symbols(); }
  void setCode(const JitProgram &compiled, Specialization *specialized) {
    code = &compiled;
    entries = &code->packets;
    specialization = specialized;
  }

  std::unique_ptr<x86::LiveAttachment> attach() override {
    KARAKAL_ASSERT(code, "a core has code");
    return std::make_unique<Attachment>(context, packets, cold);
  }

  void run(const x86::Frame *frames, uint32_t count, uint64_t nowNs,
           x86::FrameSink &sink) override;
  Result<uint32_t> call(size_t function, const std::vector<uint64_t> &arguments,
                        uint64_t nowNs, x86::FrameSink &sink) override;
  Status init(const std::vector<std::string> &names);

  x86::LiveCounts counts() const override;
  std::vector<uint64_t> drops() const override {
    return {packets.drops().begin(), packets.drops().begin() + reasonCount};
  }
  std::string lastFault() const override { return last; }

private:
  void addChannel(const HostProgram &program, const HostChannel &channel) {
    if (toXScale.size() <= channel.id)
      toXScale.resize(channel.id + 1);
    for (const HostPpf &ppf : program.ppfs)
      if (ppf.symbol == channel.consumer)
        toXScale[channel.id] = ppf.onXScale;
    context.channelToXScale = toXScale;
  }

  /// Calls `body` and delivers its messages; false at a fault.
  template <typename Body> bool guarded(Body body) {
    bool done = callGuarded(context, [&] {
      body();
      deliverAll();
    });
    if (!done) {
      giveUpLocks();
      last = packets.fault();
      ++faults;
    }
    return done;
  }
  void deliverAll() {
    while (uint32_t message = packets.nextMessage())
      deliver(message);
  }
  void deliver(uint32_t message) {
    uint32_t id = message >> 24;
    packets.setOnXScale(toXScale[id]);
    entries->consumers[id](message & 0xffffff);
    packets.setOnXScale(false);
  }
  void begin(uint64_t nowNs, x86::FrameSink &sink) {
    packets.setSink(&sink);
    runtime.services().nowNs = nowNs;
  }
  /// Sends what is to be sent. Whatever then has a buffer waits in a queue or
  /// was left by a fault.
  void finish() {
    packets.transmit();
    if (packets.buffersInUse() != packets.waiting() || !packets.fault().empty())
      lost += packets.recover();
  }

  /// Chooses the code of a burst, as long as it lives. A control call may send
  /// packets to PPFs, too, in the state that it made: they are the program's
  /// own.
  struct Burst {
    explicit Burst(HostCore &core) : core(core) {
      const PacketEntries *special =
          core.specialization ? core.specialization->begin(core.index)
                              : nullptr;
      if (special)
        core.entries = special;
    }
    ~Burst() {
      core.entries = &core.code->packets;
      if (core.specialization)
        core.specialization->end(core.index);
    }
    HostCore &core;
  };

  void runOneByOne(const x86::Frame *frames, uint32_t count);
  void runInStages(const x86::Frame *frames, uint32_t count);

  /// Bursts whose packets run one by one after one that did something illegal.
  static constexpr uint32_t carefulBurstCount = 1024;

  uint32_t index, subBatch;
  uint32_t carefulBursts = 0;
  FastPackets packets;
  PacketRuntime runtime; // its services alone
  RunContext context;
  ColdPpfs &cold;
  size_t reasonCount;
  uint32_t noPpf = NoPpf;
  std::vector<bool> toXScale;
  const JitProgram *code = nullptr;
  /// The code of the packets that run.
  const PacketEntries *entries = nullptr;
  Specialization *specialization = nullptr;
  uint64_t faults = 0, lost = 0;
  std::string last;
};

void HostCore::run(const x86::Frame *frames, uint32_t count, uint64_t nowNs,
                   x86::FrameSink &sink) {
  begin(nowNs, sink);
  Burst burst(*this);
  bool isStaged = code->runBatch && subBatch > 1 && carefulBursts == 0;
  carefulBursts -= carefulBursts != 0;
  if (isStaged)
    runInStages(frames, count);
  else
    runOneByOne(frames, count);
  finish();
}

void HostCore::runOneByOne(const x86::Frame *frames, uint32_t count) {
  PpfFunction entry = entries->rx;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t handle = packets.receive(frames[i]);
    if (handle == 0)
      continue;
    if (!guarded([=] { entry(handle); }))
      finish();
  }
}

void HostCore::runInStages(const x86::Frame *frames, uint32_t count) {
  uint32_t handles[FastPackets::BurstMax];
  for (uint32_t first = 0; first < count; first += subBatch) {
    uint32_t step = std::min(subBatch, count - first);
    for (uint32_t i = 0; i < step; ++i)
      handles[i] = packets.receive(frames[first + i]);
    const uint32_t *taken = handles;
    bool done = guarded([=] { code->runBatch(taken, first, step); });
    if (!done) {
      carefulBursts = carefulBurstCount;
      finish();
      return runOneByOne(frames + first + step, count - first - step);
    }
  }
}

Result<uint32_t> HostCore::call(size_t function,
                                const std::vector<uint64_t> &arguments,
                                uint64_t nowNs, x86::FrameSink &sink) {
  KARAKAL_ASSERT(function < code->controls.size(), "one of the program's");
  begin(nowNs, sink);
  uint32_t returned = 0;
  ControlFunction entry = code->controls[function];
  const uint64_t *values = arguments.data();
  bool done = guarded([&] { returned = entry(values); });
  finish();
  if (!done)
    return makeError("E-host-001", last);
  return returned;
}

Status HostCore::init(const std::vector<std::string> &names) {
  NoSink nowhere;
  auto attached = attach();
  begin(0, nowhere);
  Status done = success();
  for (size_t i = 0; i < code->inits.size() && done; ++i) {
    InitFunction function = code->inits[i];
    if (!guarded([=] { function(); }))
      done = makeError("E-host-001", names[i] + ": " + last);
  }
  finish();
  return done;
}

x86::LiveCounts HostCore::counts() const {
  PacketCounts from = packets.counts();
  x86::LiveCounts counts;
  counts.received = from.received;
  counts.transmitted = from.transmitted;
  counts.forwarded = from.forwarded;
  counts.dropped = from.dropped;
  counts.consumed = from.consumed;
  counts.copied = from.copied;
  counts.oversize = from.oversize;
  counts.noBuffer = packets.noBufferCount();
  counts.faults = faults;
  counts.lostInFaults = lost;
  counts.waiting =
      from.received - from.forwarded - from.dropped - from.consumed - lost;
  if (specialization) {
    Specialization::Bursts bursts = specialization->burstsOf(index);
    counts.specializedBursts = bursts.specialized;
    counts.ownBursts = bursts.own;
  }
  return counts;
}

class LiveHostProgram : public x86::LiveProgram {
public:
  LiveHostProgram(HostProgram described, uint64_t engineHz, uint32_t count,
                  const SpecializeOptions &options, uint32_t subBatch)
      : program(std::move(described)), programTimers(timersOf(program)) {
    std::vector<std::vector<SymbolAddress>> memories;
    for (uint32_t i = 0; i < count; ++i)
      memories.push_back(
          cores.emplace_back(program, i, engineHz, subBatch, cold).symbols());
    bool isAsked = options.when != SpecializeWhen::Never;
    x86::Specializable specializable;
    compiled =
        compileShared(program, memories, isAsked ? &specializable : nullptr);
    if (isAsked) {
      if (count > 1)
        for (std::vector<SymbolAddress> &known : memories)
          for (const SymbolAddress &symbol : threadSymbols())
            known.push_back(symbol);
      special.emplace(program, compiled[0], std::move(specializable),
                      std::move(memories), options);
    }
    for (uint32_t i = 0; i < count; ++i)
      cores[i].setCode(compiled[i], special ? &*special : nullptr);
    for (const HostControl &control : program.controls)
      signatures.push_back(control.signature);
  }

  const std::string &name() const override { return program.name; }
  const std::vector<traces::ControlSignature> &controls() const override {
    return signatures;
  }
  const std::vector<std::string> &dropReasons() const override {
    return program.dropReasons;
  }
  const std::vector<std::string> &refusals() const override {
    return program.refusals;
  }
  const std::vector<traces::TimerFunction> &timers() const override {
    return programTimers;
  }
  const std::vector<std::string> &changedTables() const override {
    return program.changedTables;
  }
  uint32_t coreCount() const override { return uint32_t(cores.size()); }
  x86::LiveCore &core(uint32_t index) override { return cores[index]; }
  Status init() override {
    // The code of the other cores has no init functions of the program.
    for (size_t i = 1; i < cores.size(); ++i)
      if (Status done = cores[i].init(program.inits); !done)
        return done;
    return cores[0].init(program.inits);
  }

  bool isSpecialized() const override { return special.has_value(); }
  std::unique_lock<std::mutex> change() override {
    return special ? special->change() : std::unique_lock<std::mutex>();
  }
  void settle() override {
    if (special)
      special->settle();
  }
  SpecializeReport specialization() override {
    return special ? special->report() : SpecializeReport();
  }
  std::optional<x86::Assumptions> explain() override {
    return special ? special->explain() : x86::Assumptions();
  }

private:
  HostProgram program;
  std::vector<traces::TimerFunction> programTimers;
  ColdPpfs cold;
  std::deque<HostCore> cores;
  std::deque<JitProgram> compiled;
  std::optional<Specialization> special;
  std::vector<traces::ControlSignature> signatures;
};

} // namespace

std::unique_ptr<x86::LiveProgram>
makeLiveProgram(HostProgram program, uint64_t engineHz, uint32_t cores,
                const SpecializeOptions &specialize, uint32_t subBatch) {
  KARAKAL_ASSERT(cores != 0, "a program runs on a core");
  KARAKAL_ASSERT(subBatch >= 1 && subBatch <= FastPackets::BurstMax,
                 "a burst has room for a sub-batch");
  KARAKAL_ASSERT(subBatch == 1 || specialize.when == SpecializeWhen::Never,
                 "specialized code has no stages");
  return std::make_unique<LiveHostProgram>(std::move(program), engineHz, cores,
                                           specialize, subBatch);
}

} // namespace karakal::host
